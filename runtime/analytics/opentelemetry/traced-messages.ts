// The traces that messages come with, and the trace that they continue in.

import type { GatewayError } from "../../errors.ts";
import {
  type Batch,
  type FailureSource,
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
export function originOf(message: MessageAttributes): TraceContext | undefined {
  const { parentTrace } = message;
  if (parentTrace instanceof OwnSpan) return parentTrace;
  const value =
    parentTrace === undefined ? fieldOf(message, "traceparent", "Traceparent") : parentTrace.traceparent;
  return typeof value === "string" ? parseTraceparent(value) : undefined;
}

/** Returns the origin of the message unless it begins a trace of its own. */
function continuedBy(message: MessageAttributes): TraceContext | undefined {
  return message.parentTrace?.isLinked === true ? undefined : originOf(message);
}

/**
 * Sets the trace of messages. Those without a trace, or in the trace of the span, continue below the span; others
 * keep their trace, which the span links to.
 */
export function carryOn(batch: Batch, context: TraceContext): Batch {
  const inContext = (former: MessageAttributes) => new TracedAttributes(former, context);
  return batch.map((message) => message.accompaniedBy(inContext));
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
  #former: MessageAttributes | undefined;
  #made: Traced = untraced;

  constructor(former: MessageAttributes, context: TraceContext) {
    this.failure = former.failure;
    this.failureSource = former.failureSource;
    this.place = former.place;
    this.position = former.position;
    this.#context = context;
    this.#former = former;
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
    if (this.#former !== undefined) this.#made = inTrace(this.#former, this.#context);
    this.#former = undefined;
    return this.#made;
  }
}

function inTrace(former: MessageAttributes, context: TraceContext): Traced {
  const parent = continuedBy(former);
  const isBelow = parent === undefined || parent.traceId === context.traceId;
  const traceparent = printTraceparent(isBelow ? context : parent);
  const { parentTrace } = former;
  const isInMetadata = parentTrace === undefined || parentTrace.isInMetadata === true;
  const state = isInMetadata ? fieldOf(former, "tracestate", "Tracestate") : parentTrace.tracestate;
  const metadata = new Map(former.metadata);
  metadata.delete("Traceparent");
  metadata.delete("Tracestate");
  metadata.set("traceparent", traceparent);
  // `tracestate` has no meaning in another trace.
  const isOurs = typeof state === "string" && parent !== undefined;
  if (isOurs) metadata.set("tracestate", state);
  else metadata.delete("tracestate");
  return {
    metadata,
    parameters: withoutName(withoutName(former.parameters, "traceparent"), "tracestate"),
    trace: { traceparent, ...(isOurs && { tracestate: state }) },
  };
}

/**
 * Returns a metadata value by both spellings: requests have the name in the case of headers. Ignores request
 * parameters.
 */
function fieldOf(
  { metadata, parameters }: MessageAttributes,
  name: string,
  canonical: string,
): Value | undefined {
  const value = parameters?.has(name) === true ? undefined : metadata.get(name);
  return value ?? metadata.get(canonical);
}
