// The traces that messages come with, and the trace that they continue in.

import type { GatewayError } from "../../errors.ts";
import {
  type Batch,
  type FailureSource,
  type Message,
  type MessageAttributes,
  type Metadata,
  type TraceFields,
  withoutName,
} from "../../message/message.ts";
import type { PartPosition } from "../../message/positions.ts";
import type { Value } from "../../message/value.ts";
import { OwnSpan, parseTraceparent, printTraceparent, type TraceContext } from "./trace-context.ts";

/** Returns the parent of the span of a batch: the first trace that a message continues. */
export function parentOf(batch: Batch): TraceContext | undefined {
  for (const message of batch) {
    const parent = continuedBy(message);
    if (parent !== undefined) return parent;
  }
  return undefined;
}

/**
 * Returns the origin of the message: the one that its input determined (`extract_tracing_map`), otherwise the one in
 * its metadata.
 */
export function originOf(message: Message): TraceContext | undefined {
  const { parentTrace } = message;
  if (parentTrace instanceof OwnSpan) return parentTrace;
  const value =
    parentTrace === undefined ? fieldOf(message, "traceparent", "Traceparent") : parentTrace.traceparent;
  return typeof value === "string" ? parseTraceparent(value) : undefined;
}

/** Returns the origin of the message unless it begins a trace of its own. */
function continuedBy(message: Message): TraceContext | undefined {
  return message.parentTrace?.isLinked === true ? undefined : originOf(message);
}

/**
 * Sets the trace of messages. Those without a trace, or in the trace of the span, continue below the span; others
 * keep their trace, which the span links to.
 */
export function carryOn(batch: Batch, context: TraceContext): Batch {
  return batch.map((message) => message.accompaniedBy(new TracedAttributes(message, context)));
}

type Traced = Pick<MessageAttributes, "metadata" | "parameters" | "trace">;

const untraced: Traced = { metadata: new Map(), parameters: undefined, trace: undefined };

/** The attributes of a message in its trace, made when they are first read: many streams read none of them. */
class TracedAttributes implements MessageAttributes {
  readonly failure: GatewayError | undefined;
  readonly failureSource: FailureSource | undefined;
  readonly parentTrace = undefined;
  readonly place: number;
  readonly position: PartPosition | undefined;
  readonly #context: TraceContext;
  /** Released once it was read: a message may pass any number of streams. */
  #message: Message | undefined;
  #made: Traced = untraced;

  constructor(message: Message, context: TraceContext) {
    this.failure = message.failure;
    this.failureSource = message.failureSource;
    this.place = message.place;
    this.position = message.position;
    this.#context = context;
    this.#message = message;
  }

  get metadata(): Metadata {
    return this.#traced.metadata;
  }

  get parameters(): ReadonlySet<string> | undefined {
    return this.#traced.parameters;
  }

  get trace(): TraceFields | undefined {
    return this.#traced.trace;
  }

  get #traced(): Traced {
    if (this.#message !== undefined) this.#made = inTrace(this.#message, this.#context);
    this.#message = undefined;
    return this.#made;
  }
}

function inTrace(message: Message, context: TraceContext): Traced {
  const parent = continuedBy(message);
  const isBelow = parent === undefined || parent.traceId === context.traceId;
  const traceparent = printTraceparent(isBelow ? context : parent);
  const { parentTrace } = message;
  const isInMetadata = parentTrace === undefined || parentTrace.isInMetadata === true;
  const state = isInMetadata ? fieldOf(message, "tracestate", "Tracestate") : parentTrace.tracestate;
  const metadata = new Map(message.metadata);
  metadata.delete("Traceparent");
  metadata.delete("Tracestate");
  metadata.set("traceparent", traceparent);
  // `tracestate` has no meaning in another trace.
  const isOurs = typeof state === "string" && parent !== undefined;
  if (isOurs) metadata.set("tracestate", state);
  else metadata.delete("tracestate");
  return {
    metadata,
    parameters: withoutName(withoutName(message.parameters, "traceparent"), "tracestate"),
    trace: { traceparent, ...(isOurs && { tracestate: state }) },
  };
}

/**
 * Returns a metadata value by both spellings: requests have the name in the case of headers. Ignores request
 * parameters.
 */
function fieldOf({ metadata, parameters }: Message, name: string, canonical: string): Value | undefined {
  const value = parameters?.has(name) === true ? undefined : metadata.get(name);
  return value ?? metadata.get(canonical);
}
