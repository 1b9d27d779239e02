import { headers as createHeaders, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import { type Text, textOf } from "../../component/text.ts";
import type { Sequence } from "../../concurrency/ordering.ts";
import type { Batch, Message } from "../../message/message.ts";
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

/** Headers as metadata, the first of a name where there are several. */
export function headerMetadata(message: Msg): Map<string, Value> {
  const metadata = new Map<string, Value>();
  for (const name of message.headers?.keys() ?? []) metadata.set(name, message.headers?.get(name) ?? "");
  return metadata;
}

/** Messages of one subject are delivered in order. */
export function subjectSequence({ metadata }: Message): Sequence {
  return { name: String(metadata.get("nats_subject")), isKey: false };
}
