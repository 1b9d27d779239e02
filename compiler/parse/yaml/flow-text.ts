// Decodes plain, single-quoted and double-quoted YAML scalars and records the place of each character in the file. Line
// folding follows YAML 1.2.2 sections 6.5 and 7.3. Other scalar styles are not supported here.

import type { SourceText } from "../../source/source.ts";
import { createDecodedText, type DecodedText } from "../document/decoded-text.ts";

/** Decodes a plain scalar from `start` to `end`, possibly on several lines. */
export function decodePlain(file: SourceText, start: number, end: number): SourceText {
  const out = createDecodedText(file);
  decodeFolded(file.text, start, end, (from, to) => out.copy(from, to), out);
  return out.finish(end);
}

/** Decodes a single-quoted scalar; `start` and `end` are inside its quotes. */
export function decodeSingleQuoted(file: SourceText, start: number, end: number): SourceText {
  const out = createDecodedText(file);
  const copyUnquoted = (from: number, to: number) => {
    let at = from;
    for (let quote = findQuotePair(file.text, at, to); quote !== -1; ) {
      out.copy(at, quote);
      out.add("'", quote, 2);
      at = quote + 2;
      quote = findQuotePair(file.text, at, to);
    }
    out.copy(at, to);
  };
  decodeFolded(file.text, start, end, copyUnquoted, out);
  return out.finish(end);
}

/** Decodes a double-quoted scalar; `start` and `end` are inside its quotes. */
export function decodeDoubleQuoted(file: SourceText, start: number, end: number): SourceText {
  const { text } = file;
  const out = createDecodedText(file);
  let at = start;
  while (at < end) {
    const char = text.charAt(at);
    if (char === "\\") {
      at = decodeEscape(text, at, end, out);
    } else if (isBlank(char) || char === "\n" || char === "\r") {
      at = foldBlanks(text, at, end, out);
    } else {
      out.copy(at, at + 1);
      at++;
    }
  }
  return out.finish(end);
}

/** Splits a text into lines, trims them, and joins them by the folding rules. */
function decodeFolded(
  text: string,
  start: number,
  end: number,
  copyLine: (from: number, to: number) => void,
  out: DecodedText,
): void {
  const breaks: number[] = [];
  let lineStart = start;
  for (;;) {
    const found = text.indexOf("\n", lineStart);
    const isLast = found === -1 || found >= end;
    const lineEnd = isLast ? end : found;
    const from = lineStart === start ? start : skipBlanks(text, lineStart, lineEnd);
    const to = isLast ? lineEnd : trimBlanks(text, from, lineEnd);
    if (to > from || isLast) {
      addFold(breaks, out);
      breaks.length = 0;
      copyLine(from, to);
    }
    if (isLast) return;
    breaks.push(found);
    lineStart = found + 1;
  }
}

/** Folds line breaks: a single one becomes a space; of several, all but the first stay. */
function addFold(breaks: readonly number[], out: DecodedText): void {
  const [first, ...others] = breaks;
  if (first === undefined) return;
  if (others.length === 0) out.add(" ", first);
  else for (const offset of others) out.add("\n", offset);
}

/** Keeps blanks inside a double-quoted line. Removes blanks around line breaks and folds the breaks. */
function foldBlanks(text: string, from: number, end: number, out: DecodedText): number {
  let at = from;
  const breaks: number[] = [];
  for (; at < end; at++) {
    const char = text.charAt(at);
    if (char === "\n") breaks.push(at);
    else if (!isBlank(char) && !(char === "\r" && text.charAt(at + 1) === "\n" && at + 1 < end)) break;
  }
  if (at === from) at++; // A lone carriage return is text.
  if (breaks.length === 0) out.copy(from, at);
  else addFold(breaks, out);
  return at;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
  "\t": "\t",
};

const escapeLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Decodes the escape at `at`; returns the place after it. */
function decodeEscape(text: string, at: number, end: number, out: DecodedText): number {
  const letter = text.charAt(at + 1);
  const simple = simpleEscapes[letter];
  if (simple !== undefined) {
    out.add(simple, at, 2);
    return at + 2;
  }
  if (letter === "\n") return skipBlanks(text, at + 2, end);
  if (letter === "\r" && text.charAt(at + 2) === "\n") return skipBlanks(text, at + 3, end);
  const length = escapeLengths[letter];
  const code = length === undefined ? Number.NaN : Number.parseInt(text.slice(at + 2, at + 2 + length), 16);
  if (length === undefined || !(code <= 0x10ffff)) {
    out.copy(at, at + 2);
    return at + 2;
  }
  out.add(String.fromCodePoint(code), at, 2 + length);
  return at + 2 + length;
}

function findQuotePair(text: string, from: number, to: number): number {
  const found = text.indexOf("''", from);
  return found === -1 || found + 2 > to ? -1 : found;
}

function skipBlanks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isBlank(text.charAt(at))) at++;
  return at;
}

/** Returns the end of the line's text, before trailing blanks and the carriage return of its line break. */
function trimBlanks(text: string, from: number, end: number): number {
  let at = end;
  if (at > from && text.charAt(at - 1) === "\r") at--;
  while (at > from && isBlank(text.charAt(at - 1))) at--;
  return at;
}

function isBlank(char: string): boolean {
  return char === " " || char === "\t";
}
