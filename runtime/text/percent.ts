import { encodeUtf8 } from "./utf8.ts";

/** Returns the text with each byte whose character does not match `kept` as `%XX` (RFC 3986, section 2.1). */
export function percentEncode(text: string, kept: RegExp): string {
  let result = "";
  for (const byte of encodeUtf8(text)) {
    const character = String.fromCharCode(byte);
    result += kept.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return result;
}

/** Percent-decodes `text`; returns it unchanged if it contains a `%` that is no part of a valid escape. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
