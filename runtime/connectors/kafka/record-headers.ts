// The headers of records to write, encoded as a record contains them: their number, then each name and value after its
// length (Kafka protocol, record of magic 2). Lengths are zigzag varints.

import type { Message } from "../../message/message.ts";
import { metadataText, travels } from "../../message/metadata.ts";
import type { NameTest } from "../../message/name-filter.ts";
import type { Value } from "../../message/value.ts";
import { memoised } from "../../text/memo.ts";
import { asBuffer, bytewise } from "../../text/utf8.ts";
import { checkEncodable } from "./grammar.ts";

/** Which headers a record gets. */
export interface HeaderSettings {
  /** Selects the metadata that become headers. If absent, none do, and messages need not collect their metadata. */
  readonly passes: NameTest | undefined;
  /** Headers of every record. They override metadata of the same name. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** Returns the encoded headers of a message. Throws a `GatewayError` for a text that Kafka cannot carry. */
export type EncodeHeaders = (message: Message) => Buffer;

/** The headers of a record without headers. */
export const noHeaders: Buffer = /* @__PURE__ */ Buffer.of(0);

/**
 * Returns a function that encodes the headers of messages: the selected metadata, then the fixed headers.
 *
 * Headers are joined as one text with a character for each byte, which becomes bytes in a single step: a buffer for each
 * value would take several times as long.
 */
export function createHeaderEncoder({ passes, fixed }: HeaderSettings): EncodeHeaders {
  const own = Object.entries(fixed);
  const ownText = own.map(([name, value]) => prefixed(bytewise(name)) + prefixed(bytewise(value))).join("");
  if (passes === undefined) {
    const encoded = encode(own.length, ownText);
    return () => encoded;
  }
  const fixedNames = new Set(Object.keys(fixed));
  /** Returns a name as bytes; an empty text if it is no header. Cached: clients send few names. */
  const nameBytes = memoised(512, (name) =>
    travels(name) && passes(name) && !fixedNames.has(name)
      ? prefixed(bytewise(checkEncodable("headers", name)))
      : "",
  );
  return ({ metadata, parameters }) => {
    let count = own.length;
    let text = "";
    for (const [name, value] of metadata) {
      const key = parameters?.has(name) === true ? "" : nameBytes(name);
      if (key === "") continue;
      count += 1;
      text += key + prefixed(valueBytes(value));
    }
    return count === 0 ? noHeaders : encode(count, text + ownText);
  };
}

function encode(count: number, headers: string): Buffer {
  return Buffer.from(varint(count) + headers, "latin1");
}

/** Returns one character for each byte of a value. */
function valueBytes(value: Value): string {
  const text = metadataText(value);
  if (typeof text !== "string") return asBuffer(text).toString("latin1");
  return nonAscii.test(text) ? bytewise(checkEncodable("headers", text)) : text;
}

const nonAscii = /[\u0080-\uffff]/;

function prefixed(bytes: string): string {
  return varint(bytes.length) + bytes;
}

/** Returns one character for each byte of a length. */
function varint(length: number): string {
  let rest = length * 2;
  let bytes = "";
  for (; rest > 0x7f; rest >>>= 7) bytes += String.fromCharCode((rest & 0x7f) | 0x80);
  return bytes + String.fromCharCode(rest);
}
