// A JSON string as a node whose text knows where each character stands behind its escapes.

import { type SourceText, spanOf } from "../../source/source.ts";
import type { ScalarNode } from "../../trees/document.ts";
import { createDecodedText } from "../document/decoded-text.ts";
import { createDecodedScalar, createPlainScalar } from "../document/nodes.ts";

/** Short texts that were met last, each where its first and last characters and its length put it. */
const met: string[] = [];

/** The same text as one that was met before, for those that large documents repeat: `type`, `string`, `description`. */
export function sharedText(text: string): string {
  const { length } = text;
  if (length === 0 || length > 24) return text;
  const ends = text.charCodeAt(0) * 31 + text.charCodeAt(length - 1) * 7;
  const at = (ends + text.charCodeAt(length >> 1) + length * 127) & 1023;
  const known = met[at];
  if (known === text) return known;
  const own = ownText(text);
  met[at] = own;
  return own;
}

/** The same text in memory of its own: what engines cut out of a text keeps the whole of that. */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}

/** The string of value `value` that stands, quotes included, from `start` to `end`. */
export function createJsonString(file: SourceText, value: string, start: number, end: number): ScalarNode {
  // Without escapes the text is as long as what is written.
  if (value.length === end - start - 2) return createPlainScalar(file, value, start + 1, end - 1);
  return createDecodedScalar(
    value,
    () => spanOf(file, start + 1, end - 1),
    () => decode(file, value, start + 1, end - 1),
  );
}

/** Each escape stands for one character of the value: `\n` is two long in the file, `\u00e9` six. */
function decode(file: SourceText, value: string, start: number, end: number): SourceText {
  const out = createDecodedText(file);
  let at = start;
  for (let index = 0; index < value.length; index++) {
    if (file.text.charAt(at) !== "\\") {
      out.copy(at, at + 1);
      at++;
      continue;
    }
    out.add(value.charAt(index), at);
    at += file.text.charAt(at + 1) === "u" ? 6 : 2;
  }
  return out.finish(end);
}
