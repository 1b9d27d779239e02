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

/** The fixed headers of an output's document. */
type FixedHeaders = Readonly<Record<string, Text>> | undefined;

/** Metadata of message `index` of `batch` that travels as headers. */
export type PassMetadata = (
  batch: Batch,
  index: number,
) => readonly (readonly [name: string, value: string])[];

/** Headers of message `index` of `batch`; `undefined` where it has none. */
export type MakeHeaders = (batch: Batch, index: number) => MsgHdrs | undefined;

/**
 * Headers of published messages: the metadata that passes, where any may, then the fixed ones, which win.
 * What they make throws a `GatewayError` where a name or a value cannot be a header.
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

/** What the headers of a message are; with `failure` where they are none. */
interface ReadHeaders {
  readonly headers: MsgHdrs | undefined;
  readonly failure: GatewayError | undefined;
}

/**
 * Reads headers. Servers pass on whatever a publisher sends, and the client throws on names that it would not send itself:
 * such a message is flagged, so that no publisher ends the process.
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

/** The names and values that the connector gives a message; they win over headers. */
export type OwnMetadata = Iterable<readonly [name: string, value: Value]>;

/** What a message of NATS carries: its headers, the first of a name where there are several, and the connector's own names. */
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
    const headers = this.#headers;
    for (const name of headers?.keys() ?? []) metadata.set(name, headers?.get(name) ?? "");
    for (const [name, value] of this.#own()) metadata.set(name, value);
    return metadata;
  }
}

/** The content with its headers and what `own` gives as metadata. */
export function messageFrom(message: Msg, own: () => OwnMetadata, position?: PartPosition): Message {
  return Message.withAttributes(message.data, new NatsAttributes(readHeaders(message), own, position));
}

/** Messages of one subject are delivered in order. */
export function subjectSequence({ metadata }: Message): Sequence {
  return { name: String(metadata.get("nats_subject")), isKey: false };
}

/**
 * Headers by which a publisher has the server do something to the stream, such as purge it (`Nats-Rollup`). They are
 * for documents to write; the id by which the server drops duplicates may travel.
 */
function isOrder(name: string): boolean {
  const lower = name.toLowerCase();
  return (lower.startsWith("nats-") && lower !== "nats-msg-id") || lower.startsWith("kv-");
}

/** The metadata that a document's filter lets through. */
export function createPassMetadata(filter: NameFilter | undefined): PassMetadata {
  const passes = createNameFilter(filter);
  return (batch, index) => {
    const message = batch[index];
    return message === undefined ? [] : filterMetadata(message, (name) => passes(name) && !isOrder(name));
  };
}
