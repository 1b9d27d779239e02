// Messages as they are written to a held-open response.

import { asBuffer } from "../../text/bytes.ts";

const dataField = /* @__PURE__ */ Buffer.from("data: ");
const eventEnd = /* @__PURE__ */ Buffer.from("\n\n");
const noBytes = /* @__PURE__ */ Buffer.alloc(0);
const lineFeed = 10;
const carriageReturn = 13;

/**
 * One event of the WHATWG stream format: a `data:` line for each line of the message, then an empty line.
 * The format ends lines at CR, LF or both, so a CR cannot be told from an LF at the other end.
 */
export function eventFrame(bytes: Uint8Array, id?: string): Buffer {
  const head = id === undefined ? noBytes : Buffer.from(`id: ${id}\n`);
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) {
    return Buffer.concat([head, dataField, bytes, eventEnd]);
  }
  // latin1 keeps every byte as it is.
  const text = asBuffer(bytes).toString("latin1");
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return Buffer.concat([head, Buffer.from(`${lines.join("")}\n`, "latin1")]);
}

/** The message and a line break, for `raw_bytes`. */
export function rawFrame(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.of(lineFeed)]);
}
