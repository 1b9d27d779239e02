// Entries of streams, as Redis returns them.

import { Message } from "../../../message/message.ts";
import type { Value } from "../../../message/value.ts";
import { decodeUtf8 } from "../../../text/utf8.ts";

/** One entry of a stream. */
export interface StreamEntry {
  readonly stream: string;
  readonly id: string;
  /** Alternating names and values; null if the entry was deleted while it was pending. */
  readonly fields: readonly Buffer[] | null;
}

/** Returns whether an id, `MILLISECONDS-NUMBER` or `MILLISECONDS`, is lower than another. */
export function isBefore(id: string, other: string): boolean {
  const [[time, number], [otherTime, otherNumber]] = [partsOf(id), partsOf(other)];
  return time < otherTime || (time === otherTime && number < otherNumber);
}

function partsOf(id: string): readonly [time: bigint, number: bigint] {
  const [time = "0", number = "0"] = id.split("-");
  return [BigInt(time), BigInt(number)];
}

/** Returns the entries of a reply to XREADGROUP; empty if the reply is empty. */
export function entriesOfRead(reply: unknown): readonly StreamEntry[] {
  if (!Array.isArray(reply)) return [];
  // Pairs of a stream and its entries, which RESP3 returns as a flat list.
  const flat = Array.isArray(reply[0]) ? reply.flat() : reply;
  const found: StreamEntry[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    found.push(...entriesOf(String(flat[index]), flat[index + 1]));
  }
  return found;
}

/** Returns the entries of a list, such as XAUTOCLAIM returns. */
export function entriesOf(stream: string, list: unknown): readonly StreamEntry[] {
  if (!Array.isArray(list)) return [];
  // Before Redis 7, XAUTOCLAIM returns null for a deleted entry.
  return list
    .filter((item) => item !== null)
    .map(([id, fields]: [Buffer, readonly Buffer[] | null]) => ({ stream, id: String(id), fields }));
}

/** Returns the message of an entry; `undefined` if it has no field `bodyKey`. */
export function messageOf({ id, fields }: StreamEntry, bodyKey: string): Message | undefined {
  const metadata = new Map<string, Value>();
  let content: Buffer | undefined;
  for (let index = 0; fields !== null && index + 1 < fields.length; index += 2) {
    const [name, value] = [decodeUtf8(fields[index] ?? new Uint8Array()), fields[index + 1]];
    if (name === bodyKey) content = value;
    else if (value !== undefined) metadata.set(name, decodeUtf8(value));
  }
  metadata.set("redis_stream", id);
  return content && Message.fromBytes(content, metadata);
}
