// Quoting as errors about times and durations do it.

import { encodeUtf8 } from "../text/utf8.ts";

/** `text` in double quotes; bytes other than those of printable ASCII as `\xhh`. */
export function quoteAscii(text: string): string {
  const characters = [...encodeUtf8(text)].map((byte) => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, "0")}`;
    const character = String.fromCharCode(byte);
    return character === '"' || character === "\\" ? `\\${character}` : character;
  });
  return `"${characters.join("")}"`;
}
