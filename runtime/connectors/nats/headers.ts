import { headers as createHeaders, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import { type Text, textOf } from "../../component/text.ts";
import type { Sequence } from "../../concurrency/ordering.ts";
import { GatewayError } from "../../errors.ts";
import { type Batch, Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { setHeader } from "./grammar.ts";

/** The fixed headers of an output's document. */
export type FixedHeaders = Readonly<Record<string, Text>> | undefined;

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
export interface ReadHeaders {
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

/** The content with its headers as metadata, the first of a name where there are several; those of `own` win. */
export function messageFrom(
  message: Msg,
  own: Readonly<Record<string, Value>>,
  at?: Parameters<typeof Message.fromBytes>[2],
): Message {
  const { headers, failure } = readHeaders(message);
  const metadata = new Map<string, Value>();
  for (const name of headers?.keys() ?? []) metadata.set(name, headers?.get(name) ?? "");
  for (const [name, value] of Object.entries(own)) metadata.set(name, value);
  const made = Message.fromBytes(message.data, metadata, at);
  return failure === undefined ? made : made.withFailure(failure);
}

/** Messages of one subject are delivered in order. */
export function subjectSequence({ metadata }: Message): Sequence {
  return { name: String(metadata.get("nats_subject")), isKey: false };
}
