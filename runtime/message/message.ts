// A message: bytes with metadata, parsed on demand, serialised once.

import type { GatewayError } from "../errors.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { parseJson } from "./json.ts";
import { encodeJson } from "./json-bytes.ts";
import type { PartPosition } from "./positions.ts";
import type { Value } from "./value.ts";

/** Metadata by name, in the order it was set. */
export type Metadata = ReadonlyMap<string, Value>;

/** Messages that travel and are acknowledged together; never empty on its way to an output. */
export type Batch<Content = unknown> = readonly Message<Content>[];

/** Outcome of looking inside a message: parsed once, failure kept. */
type Parsed = { readonly value: Value } | { readonly reason: string };

const noMetadata: Metadata = /* @__PURE__ */ new Map();

/** The component that failed on a message; `label` is empty where it has none. */
export interface FailureSource {
  readonly label: string;
  /** `pipeline.processors.0` */
  readonly path: string;
  /** What kind of component it is: `mapping`. */
  readonly type: string;
}

/** The trace a message is worked on for, as the fields that tell others of it (W3C Trace Context). */
export interface TraceFields {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The trace that a message came with, where its input was told how to find it. */
export interface TraceParent extends Partial<TraceFields> {
  /** The message begins a trace of its own, which has a link to this one. */
  readonly isLinked?: boolean;
}

/** What goes with the content, and stays when that is changed. Never changed itself: messages share it. */
export interface MessageAttributes {
  readonly metadata: Metadata;
  /**
   * Names of metadata that came as path or query parameters or cookies of a request: they are not headers, and never
   * leave as some. What a document sets itself is not among them. Absent where there are none.
   */
  readonly parameters: ReadonlySet<string> | undefined;
  /** Why a processor failed on this message; such a message is not delivered by default. */
  readonly failure: GatewayError | undefined;
  /** Which component that was, where it is known. */
  readonly failureSource: FailureSource | undefined;
  /** Only where the gateway records traces; what metadata says of one is not a trace of this gateway. */
  readonly trace: TraceFields | undefined;
  /** What the input found out about the trace it came with; absent where its metadata say so. */
  readonly parentTrace: TraceParent | undefined;
  /**
   * Where it stood in a batch that a step took apart and puts together again; what is made of a message
   * keeps it.
   */
  readonly place: number;
  /** Where it stood in its source, where that can be gone back to; what is made of a message keeps it. */
  readonly position: PartPosition | undefined;
}

/** Attributes of a message that nothing has worked on. */
class FreshAttributes implements MessageAttributes {
  readonly metadata: Metadata;
  readonly parameters: ReadonlySet<string> | undefined;
  readonly failure = undefined;
  readonly failureSource = undefined;
  readonly trace = undefined;
  readonly parentTrace = undefined;
  readonly place = 0;
  readonly position: PartPosition | undefined;

  constructor(
    metadata: Metadata,
    position: PartPosition | undefined,
    parameters: ReadonlySet<string> | undefined,
  ) {
    this.metadata = metadata;
    this.parameters = parameters;
    this.position = position;
  }
}

/**
 * An immutable message. Changing one gives another that shares what did not change. `Content` is what the compiler knows of
 * its document; nothing checks it at run time.
 */
export class Message<out Content = unknown> implements MessageAttributes {
  /** Never there: it ties a message to the type of its document. */
  declare readonly of?: Content;
  #bytes: Uint8Array | undefined;
  #parsed: Parsed | undefined;
  /** Whether the content was made of the document, not the other way round. */
  readonly #isMade: boolean;
  readonly #attributes: MessageAttributes;

  private constructor(
    bytes: Uint8Array | undefined,
    parsed: Parsed | undefined,
    attributes: MessageAttributes,
  ) {
    this.#bytes = bytes;
    this.#parsed = parsed;
    this.#isMade = parsed !== undefined;
    this.#attributes = attributes;
  }

  /**
   * A message as it came from a broker or a caller. The bytes must not be changed afterwards. `parameters` names the
   * metadata that did not come as headers.
   */
  static fromBytes(
    bytes: Uint8Array,
    metadata: Metadata = noMetadata,
    position?: PartPosition,
    parameters?: ReadonlySet<string>,
  ): Message {
    return new Message(bytes, undefined, new FreshAttributes(metadata, position, parameters));
  }

  /**
   * As `fromBytes`, with attributes that may be computed when something reads them. `document` is what the content is as JSON,
   * where that is known.
   */
  static withAttributes(bytes: Uint8Array, attributes: MessageAttributes, document?: Value): Message {
    const message = new Message(bytes, undefined, attributes);
    if (document !== undefined) message.#parsed = { value: document };
    return message;
  }

  /** A message whose content is the UTF-8 of `text`. */
  static fromText(text: string, metadata: Metadata = noMetadata): Message {
    return Message.fromBytes(encodeUtf8(text), metadata);
  }

  get metadata(): Metadata {
    return this.#attributes.metadata;
  }

  get parameters(): ReadonlySet<string> | undefined {
    return this.#attributes.parameters;
  }

  get failure(): GatewayError | undefined {
    return this.#attributes.failure;
  }

  get failureSource(): FailureSource | undefined {
    return this.#attributes.failureSource;
  }

  get trace(): TraceFields | undefined {
    return this.#attributes.trace;
  }

  get parentTrace(): TraceParent | undefined {
    return this.#attributes.parentTrace;
  }

  get place(): number {
    return this.#attributes.place;
  }

  get position(): PartPosition | undefined {
    return this.#attributes.position;
  }

  /** The content. Untouched messages give back the bytes they came with. */
  bytes(): Uint8Array {
    this.#bytes ??= encodeRoot(this.#parsed);
    return this.#bytes;
  }

  /**
   * The content as JSON, parsed at the first call. `undefined` when it is not JSON: `parseFailure()` then
   * says why.
   */
  document(): Value | undefined {
    this.#parsed ??= parseJson(this.bytes());
    return "value" in this.#parsed ? this.#parsed.value : undefined;
  }

  /** Whether a mapping made the document, so that its numbers are no longer as they came. */
  get isMade(): boolean {
    return this.#isMade;
  }

  /** Why `document()` gave nothing, as the mapping language words it; `undefined` when it parses. */
  parseFailure(): string | undefined {
    this.document();
    return this.#parsed !== undefined && "reason" in this.#parsed ? this.#parsed.reason : undefined;
  }

  /** The same as components word it; `parseFailure()` is for mappings that read `this`. */
  documentFailure(): string {
    const reason = this.parseFailure() ?? "";
    // The reference engine has two texts for the same.
    return reason === "message is empty"
      ? "target message part does not exist"
      : reason.replace(/^parse as json: /, "");
  }

  /**
   * Releases the parsed document of a message that may be kept for long: `document()` parses the content again. Does nothing
   * where the content was made of the document.
   */
  releaseDocument(): void {
    if (!this.#isMade) this.#parsed = undefined;
  }

  /** The same message with another document. Strings and bytes become the content itself. */
  withDocument(value: Value): Message {
    const isContent = typeof value === "string" || value instanceof Uint8Array;
    return isContent
      ? this.withBytes(encodeRoot({ value }))
      : new Message(undefined, { value }, this.#attributes);
  }

  /** The same message with other content. */
  withBytes(bytes: Uint8Array): Message {
    return new Message(bytes, undefined, this.#attributes);
  }

  /** The same message with other metadata, of which `parameters` did not come as headers. */
  withMetadata(metadata: Metadata, parameters: ReadonlySet<string> | undefined = this.parameters): Message {
    return this.#with({ metadata, parameters });
  }

  /** The same message with more metadata, set by the gateway: these replace others of their names. */
  withEntries(entries: Iterable<readonly [name: string, value: Value]>): Message {
    const metadata = new Map(this.metadata);
    let parameters = this.parameters;
    for (const [name, value] of entries) {
      metadata.set(name, value);
      parameters = withoutName(parameters, name);
    }
    return this.#with({ metadata, parameters });
  }

  /** The same message, flagged; `undefined` clears the flag. */
  withFailure(failure: GatewayError | undefined, failureSource?: FailureSource | undefined): Message {
    return this.#with({ failure, failureSource });
  }

  /** The same message, worked on for a trace. */
  withTrace(trace: TraceFields): Message {
    return this.#with({ trace, parentTrace: undefined });
  }

  /** The same message, which came with a trace. */
  withParentTrace(parentTrace: TraceParent): Message {
    return this.#with({ parentTrace });
  }

  /** The same message at another place. */
  withPlace(place: number): Message {
    return place === this.place ? this : this.#with({ place });
  }

  #with(changed: Partial<MessageAttributes>): Message {
    const { metadata, parameters, failure, failureSource, trace, parentTrace, place, position } =
      this.#attributes;
    const kept = { metadata, parameters, failure, failureSource, trace, parentTrace, place, position };
    return new Message(this.#bytes, this.#parsed, { ...kept, ...changed });
  }
}

/** Names of parameters without one that has been set anew. */
export function withoutName(
  names: ReadonlySet<string> | undefined,
  name: string,
): ReadonlySet<string> | undefined {
  if (names?.has(name) !== true) return names;
  return new Set([...names].filter((each) => each !== name));
}

function encodeRoot(parsed: Parsed | undefined): Uint8Array {
  if (parsed === undefined || "reason" in parsed) return new Uint8Array();
  if (parsed.value instanceof Uint8Array) return parsed.value;
  return typeof parsed.value === "string" ? encodeUtf8(parsed.value) : encodeJson(parsed.value);
}

/** What a message of a broker carries. Its metadata is collected when something reads it: many streams read nothing of it. */
export abstract class LateAttributes implements MessageAttributes {
  readonly parameters = undefined;
  readonly failure: GatewayError | undefined;
  readonly failureSource = undefined;
  readonly trace = undefined;
  readonly parentTrace = undefined;
  readonly place = 0;
  readonly position: PartPosition | undefined;
  #metadata: Metadata | undefined = undefined;

  /** `failure`: why the message cannot be read. */
  constructor(position?: PartPosition, failure?: GatewayError) {
    this.position = position;
    this.failure = failure;
  }

  get metadata(): Metadata {
    this.#metadata ??= this.collect();
    return this.#metadata;
  }

  /** Called once at most. */
  protected abstract collect(): Metadata;
}
