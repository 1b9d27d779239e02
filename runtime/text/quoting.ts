// Quotes text with double quotes, in the notation of the reference engine.

import { unicodePattern } from "./memo.ts";
import { encodeUtf8 } from "./utf8.ts";

/** Characters with a short escape. */
export const shortEscapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};
/** Printable characters: letters, marks, numbers, punctuation, symbols and the space. */
const printable = /* @__PURE__ */ unicodePattern("^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ]$");

/** Returns `text` in double quotes, with characters that are not printable as escapes. */
export function quoteText(text: string): string {
  return `"${Array.from(text, quotedCharacter).join("")}"`;
}

/** Quotes text for errors about times and durations: every byte that is not printable ASCII becomes `\xhh`. */
export function quoteAscii(text: string): string {
  const characters = [...encodeUtf8(text)].map((byte) => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, "0")}`;
    const character = String.fromCharCode(byte);
    return character === '"' || character === "\\" ? `\\${character}` : character;
  });
  return `"${characters.join("")}"`;
}

/** Returns a character as it is written in double quotes. */
export function quotedCharacter(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
  if (printable().test(character)) return character;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
