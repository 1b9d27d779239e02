import { headers as createHeaders, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import { type Text, textOf } from "../../component/text.ts";
import type { Sequence } from "../../concurrency/ordering.ts";
import { GatewayError } from "../../errors.ts";
import { type Batch, LateAttributes, Message, type Metadata } from "../../message/message.ts";
import { filterMetadata } from "../../message/metadata.ts";
import { createNameFilter, type NameFilter } from "../../message/name-filter.ts";
import type { PartPosition } from "../../message/positions.ts";
import type { Value } from "../../message/value.ts";
import { setHeader } from "./grammar.ts";

/** The fixed headers in the document of an output. */
type FixedHeaders = Readonly<Record<string, Text>> | undefined;

/** Returns the metadata of message `index` of `batch` that are sent as headers. */
export type PassMetadata = (
  batch: Batch,
  index: number,
) => readonly (readonly [name: string, value: string])[];

/** Returns the headers of message `index` of `batch`; `undefined` if it has none. */
export type MakeHeaders = (batch: Batch, index: number) => MsgHdrs | undefined;

/**
 * Returns a function that creates the headers of published messages: the selected metadata, then the fixed headers,
 * which override them. The function throws a `GatewayError` if a name or a value is not valid in a header.
 */
export function createHeaderMaker(fixed: FixedHeaders, pass?: PassMetadata): MakeHeaders {
  const entries = Object.entries(fixed ?? {});
  return (batch, index) => {
    const passed = pass?.(batch, index) ?? [];
    if (passed.length + entries.length === 0) return undefined;
    const made = createHeaders();
    for (const [name, value] of passed) setHeader(made, name, value);
    for (const [name, text] of entries) setHeader(made, name, textOf(text, batch, index));
    return made;
  };
}

/** The headers of a message, or a `failure` if they are invalid. */
interface ReadHeaders {
  readonly headers: MsgHdrs | undefined;
  readonly failure: GatewayError | undefined;
}

/**
 * Reads headers. Servers pass on any header that a publisher sends, and the client throws for names that it would not
 * send itself. Such a message is flagged instead, so that no publisher can crash the process.
 */
export function readHeaders(message: Msg): ReadHeaders {
  try {
    return { headers: message.headers, failure: undefined };
  } catch (cause) {
    const failure = new GatewayError(422, "The headers of the NATS message cannot be read", {
      cause,
      retryable: false,
    });
    return { headers: undefined, failure };
  }
}

/** The metadata that the connector adds to a message. They override headers of the same name. */
export type OwnMetadata = Iterable<readonly [name: string, value: Value]>;

/** The metadata of a NATS message: its headers (the first value of each name) and the connector's own names. */
class NatsAttributes extends LateAttributes {
  readonly #headers: MsgHdrs | undefined;
  readonly #own: () => OwnMetadata;

  constructor({ headers, failure }: ReadHeaders, own: () => OwnMetadata, position?: PartPosition) {
    super(position, failure);
    this.#headers = headers;
    this.#own = own;
  }

  protected collect(): Metadata {
    const metadata = new Map<string, Value>();
    const headers = this.#headers ?? [];
    for (const [name, [first = ""]] of headers) metadata.set(name, first);
    for (const [name, value] of this.#own()) metadata.set(name, value);
    return metadata;
  }
}

/** Returns a message with the content, the headers as metadata, and the metadata that `own` returns. */
export function messageFrom(message: Msg, own: () => OwnMetadata, position?: PartPosition): Message {
  return Message.withAttributes(message.data, new NatsAttributes(readHeaders(message), own, position));
}

/** Returns the sequence of a message: messages of one subject are delivered in order. */
export function subjectSequence({ metadata }: Message): Sequence {
  return { name: String(metadata.get("nats_subject")), isKey: false };
}

/**
 * Returns whether a header makes the server change the stream, for example purge it (`Nats-Rollup`). Only documents
 * may set these headers; metadata may not. The id by which the server drops duplicates is allowed.
 */
function isOrder(name: string): boolean {
  const lower = name.toLowerCase();
  return (lower.startsWith("nats-") && lower !== "nats-msg-id") || lower.startsWith("kv-");
}

/** Returns the filter for the metadata that a document selects. */
export function createPassMetadata(filter: NameFilter | undefined): PassMetadata {
  const passes = createNameFilter(filter);
  return (batch, index) => {
    const message = batch[index];
    return message === undefined ? [] : filterMetadata(message, (name) => passes(name) && !isOrder(name));
  };
}
