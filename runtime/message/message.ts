// Messages: bytes with metadata, parsed on demand and serialised once.

import type { GatewayError } from "../errors.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { parseJson } from "./json.ts";
import { encodeJson } from "./json-bytes.ts";
import type { PartPosition } from "./positions.ts";
import type { Value } from "./value.ts";

/** Metadata by name, in the order in which it was set. */
export type Metadata = ReadonlyMap<string, Value>;

/** Messages that travel and are acknowledged together. A batch on its way to an output is never empty. */
export type Batch<Content = unknown> = readonly Message<Content>[];

/** The result of parsing a message. The content is parsed once, and a failure is kept as well. */
type Parsed = { readonly value: Value } | { readonly reason: string };

const noMetadata: Metadata = /* @__PURE__ */ new Map();

/** The component that failed on a message. `label` is empty if the component has none. */
export interface FailureSource {
  readonly label: string;
  /** The path in the configuration, such as `pipeline.processors.0`. */
  readonly path: string;
  /** The type of the component, such as `mapping`. */
  readonly type: string;
}

/** The trace in which a message is processed, as W3C Trace Context fields for other systems. */
export interface TraceFields {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The trace that a message came with, if its input is configured to extract it. */
export interface TraceParent extends Partial<TraceFields> {
  /** Whether the message begins its own trace with a link to this one. */
  readonly isLinked?: boolean;
  /** Whether the metadata holds this trace, too. Other metadata then determine another one. */
  readonly isInMetadata?: boolean;
}

/** What accompanies the content and stays when the content changes. Immutable, because messages share it. */
export interface MessageAttributes {
  readonly metadata: Metadata;
  /**
   * Names of metadata that came as path parameters, query parameters or cookies of a request. They are not headers and
   * are never sent as headers. Metadata that a document sets itself is not included. `undefined` if there is none.
   */
  readonly parameters: ReadonlySet<string> | undefined;
  /** Why a processor failed on this message. By default, a failed message is not delivered. */
  readonly failure: GatewayError | undefined;
  /** The component that failed, if it is known. */
  readonly failureSource: FailureSource | undefined;
  /** Set only if the gateway records traces. Trace fields in the metadata are not a trace of this gateway. */
  readonly trace: TraceFields | undefined;
  /** The incoming trace, if the input found it. If it is `undefined`, the metadata may hold one. */
  readonly parentTrace: TraceParent | undefined;
  /**
   * The index of the message in a batch that a step splits and reassembles. Messages derived from this one keep it.
   */
  readonly place: number;
  /** The position in the source, if the source can be read again from there. Messages derived from this one keep it. */
  readonly position: PartPosition | undefined;
}

/** Attributes of a message that has not been processed yet. */
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
 * An immutable message. Each change returns a new message that shares what did not change. `Content` is the type that
 * the compiler infers for the document; nothing checks it at run time.
 */
export class Message<out Content = unknown> implements MessageAttributes {
  /** Never set: it only ties a message to the type of its document. */
  declare readonly of?: Content;
  /** What an output made of the message: many of its clients may be sent the same, at different times. */
  memo: object | undefined = undefined;
  #bytes: Uint8Array | undefined;
  #parsed: Parsed | undefined;
  /** Whether the content is made from the document, rather than the document from the content. */
  readonly #isMade: boolean;
  readonly #attributes: MessageAttributes;

  private constructor(
    bytes: Uint8Array | undefined,
    parsed: Parsed | undefined,
    isMade: boolean,
    attributes: MessageAttributes,
  ) {
    this.#bytes = bytes;
    this.#parsed = parsed;
    this.#isMade = isMade;
    this.#attributes = attributes;
  }

  /**
   * Creates a message as it came from a broker or a client. The bytes must not be changed afterwards. `parameters`:
   * names of the metadata that did not come as headers.
   */
  static fromBytes(
    bytes: Uint8Array,
    metadata: Metadata = noMetadata,
    position?: PartPosition,
    parameters?: ReadonlySet<string>,
  ): Message {
    return new Message(bytes, undefined, false, new FreshAttributes(metadata, position, parameters));
  }

  /**
   * Like `fromBytes`, but with attributes that may be computed when they are read. `document`: the content as JSON, if
   * it is already known.
   */
  static withAttributes(bytes: Uint8Array, attributes: MessageAttributes, document?: Value): Message {
    return new Message(bytes, document === undefined ? undefined : { value: document }, false, attributes);
  }

  /** Creates a message whose content is `text` in UTF-8. */
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

  /** Returns the content. An unchanged message returns its original bytes. */
  bytes(): Uint8Array {
    this.#bytes ??= encodeRoot(this.#parsed);
    return this.#bytes;
  }

  /**
   * Returns the content as JSON, parsed at the first call. `undefined` if it is not JSON: `parseFailure()` then returns
   * the reason.
   */
  document(): Value | undefined {
    this.#parsed ??= parseJson(this.bytes());
    return "value" in this.#parsed ? this.#parsed.value : undefined;
  }

  /** Returns the document if it is a text, without parsing other content; `undefined` otherwise. */
  jsonText(): string | undefined {
    if (this.#bytes !== undefined && !startsWithQuote(this.#bytes)) return undefined;
    const document = this.document();
    return typeof document === "string" ? document : undefined;
  }

  /** Whether a mapping made the document, so that numbers no longer have their source text. */
  get isMade(): boolean {
    return this.#isMade;
  }

  /** Returns why `document()` returned `undefined`, in the words of the mapping language; `undefined` if it parses. */
  parseFailure(): string | undefined {
    this.document();
    return this.#parsed !== undefined && "reason" in this.#parsed ? this.#parsed.reason : undefined;
  }

  /** Returns the same reason in the words of components. `parseFailure()` is for mappings that read `this`. */
  documentFailure(): string {
    const reason = this.parseFailure() ?? "";
    // The reference engine has two texts for this failure.
    return reason === "message is empty"
      ? "target message part does not exist"
      : reason.replace(/^parse as json: /, "");
  }

  /**
   * Releases the parsed document of a message that may be kept for long. `document()` then parses the content again.
   * Does nothing if the content is, or will be, made from the document.
   */
  releaseDocument(): void {
    if (!this.#isMade && this.#bytes !== undefined) this.#parsed = undefined;
  }

  /** Returns the message with another document. A string or bytes become the content itself. */
  withDocument(value: Value): Message {
    const isContent = typeof value === "string" || value instanceof Uint8Array;
    return isContent
      ? this.withBytes(encodeRoot({ value }))
      : new Message(undefined, { value }, true, this.#attributes);
  }

  /** Returns the message with the content that `value`, which must not be text or bytes, has in JSON. */
  withKnownDocument(value: Value): Message {
    return new Message(undefined, { value }, false, this.#attributes);
  }

  /** Returns the message with other content. `document`: the content as JSON, if it is already known. */
  withBytes(bytes: Uint8Array, document?: Value): Message {
    return Message.withAttributes(bytes, this.#attributes, document);
  }

  /** Returns the message with other metadata. `parameters`: names of the metadata that did not come as headers. */
  withMetadata(metadata: Metadata, parameters: ReadonlySet<string> | undefined = this.parameters): Message {
    return this.#with({ metadata, parameters });
  }

  /** Returns the message with additional metadata set by the gateway. It replaces metadata with the same names. */
  withEntries(entries: Iterable<readonly [name: string, value: Value]>): Message {
    const metadata = new Map(this.metadata);
    let parameters = this.parameters;
    for (const [name, value] of entries) {
      metadata.set(name, value);
      parameters = withoutName(parameters, name);
    }
    return this.#with({ metadata, parameters });
  }

  /** Returns the message marked as failed; `undefined` clears the failure. */
  withFailure(failure: GatewayError | undefined, failureSource?: FailureSource | undefined): Message {
    return this.#with({ failure, failureSource });
  }

  /** Returns the message with what `change` makes of its attributes; it may be computed when it is read. */
  accompaniedBy(change: (own: MessageAttributes) => MessageAttributes): Message {
    return new Message(this.#bytes, this.#parsed, this.#isMade, change(this.#attributes));
  }

  /** Returns the message with the trace that it came with. */
  withParentTrace(parentTrace: TraceParent): Message {
    return this.#with({ parentTrace });
  }

  /** Returns the message with another index in its batch. */
  withPlace(place: number): Message {
    return place === this.place ? this : this.#with({ place });
  }

  #with(changed: Partial<MessageAttributes>): Message {
    const { parameters, failure, failureSource, trace, parentTrace, place, position } = this.#attributes;
    const kept = { parameters, failure, failureSource, trace, parentTrace, place, position };
    const attributes =
      changed.metadata === undefined
        ? new ChangedAttributes(this.#attributes, { ...kept, ...changed })
        : {
            ...kept,
            ...(parentTrace?.isInMetadata && { parentTrace: undefined }),
            ...changed,
            metadata: changed.metadata,
          };
    return new Message(this.#bytes, this.#parsed, this.#isMade, attributes);
  }
}

/** Attributes with the metadata of other ones, which are collected when they are first read. */
class ChangedAttributes implements MessageAttributes {
  declare readonly parameters: ReadonlySet<string> | undefined;
  declare readonly failure: GatewayError | undefined;
  declare readonly failureSource: FailureSource | undefined;
  declare readonly trace: TraceFields | undefined;
  declare readonly parentTrace: TraceParent | undefined;
  declare readonly place: number;
  declare readonly position: PartPosition | undefined;
  readonly #source: MessageAttributes;

  constructor(former: MessageAttributes, own: Omit<MessageAttributes, "metadata">) {
    Object.assign(this, own);
    // Messages may be changed any number of times.
    this.#source = former instanceof ChangedAttributes ? former.#source : former;
  }

  get metadata(): Metadata {
    return this.#source.metadata;
  }
}

/** Returns the parameter names without `name`, which was set again. */
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

/** Attributes of a broker's message. The metadata is collected when it is first read: many streams never read it. */
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

  /** Collects the metadata. Called once at most. */
  protected abstract collect(): Metadata;
}

/** Whether the content can be a JSON text. */
function startsWithQuote(bytes: Uint8Array): boolean {
  const blanks = [0x20, 0x0a, 0x0d, 0x09];
  return bytes.find((byte) => !blanks.includes(byte)) === 0x22;
}
