// Parses a large JSON file but leaves its large objects unread until they are accessed: most of an API with thousands
// of operations and a few streams is never accessed.

import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { DocumentNode, MapEntry, MapNode } from "../../trees/document.ts";
import { maximumDepth } from "../document/limits.ts";
import { parseValueAt } from "./parse-json.ts";

/** Objects with fewer characters are read immediately. */
const smallObject = 4096;

/**
 * Returns the tree of a file that is one object; `undefined` for any other file, and for text with errors, which the
 * full parser reports. Duplicate keys are reported only in objects that are accessed.
 */
export function skimJson(file: SourceText, report: Report): MapNode | undefined {
  const start = skipBlanks(file.text, 0);
  if (file.text[start] !== "{" || !isJson(file.text)) return undefined;
  // The text is one valid object, so it ends with the last bracket.
  return new SkimmedMap(file, start, file.text.lastIndexOf("}") + 1, 0, report);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The full parser reports the place and the reason.
    return false;
  }
}

/** Whether a node is read on demand. */
export function isSkimmed(node: DocumentNode): boolean {
  return node instanceof SkimmedMap;
}

class SkimmedMap implements MapNode {
  readonly kind = "map";
  readonly span: Span;
  readonly #depth: number;
  readonly #report: Report;
  #entries: readonly MapEntry[] | undefined;

  /** `depth`: the number of objects and lists around it. */
  constructor(file: SourceText, start: number, end: number, depth: number, report: Report) {
    this.span = spanOf(file, start, end);
    this.#depth = depth;
    this.#report = report;
  }

  get entries(): readonly MapEntry[] {
    this.#entries ??= readEntries(this.span, this.#depth + 1, this.#report);
    return this.#entries;
  }

  /** Returns the same object with other entries, at another place. */
  with(entries: readonly MapEntry[], { source, start, end }: Span): SkimmedMap {
    const changed = new SkimmedMap(source, start, end, this.#depth, this.#report);
    changed.#entries = entries;
    return changed;
  }
}

/** Returns a map with other entries, at another place. A map that is read on demand stays one. */
export function withEntries(map: MapNode, entries: readonly MapEntry[], span: Span): MapNode {
  return map instanceof SkimmedMap ? map.with(entries, span) : { kind: "map", entries, span };
}

function readEntries({ source, start, end }: Span, depth: number, report: Report): readonly MapEntry[] {
  const { text } = source;
  if (depth > maximumDepth) {
    report("GW1007", spanOf(source, start, start + 1), { limit: maximumDepth });
    return [];
  }
  const entries = new Map<string, MapEntry>();
  for (let at = skipBlanks(text, start + 1); at < end - 1; ) {
    const keyEnd = skipValue(text, at);
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    const keySpan = spanOf(source, at + 1, keyEnd - 1);
    const valueStart = skipSeparator(text, keyEnd);
    const valueEnd = skipValue(text, valueStart);
    at = skipSeparator(text, valueEnd);
    const name = String(key);
    const first = entries.get(name)?.keySpan;
    if (first !== undefined) {
      report("GW1012", keySpan, { key: name }, { span: first, message: "The first one is here." });
      continue;
    }
    const value = readValue(spanOf(source, valueStart, valueEnd), depth, report);
    if (value !== undefined) entries.set(name, { key: name, keySpan, value });
  }
  return [...entries.values()];
}

function readValue({ source, start, end }: Span, depth: number, report: Report): DocumentNode | undefined {
  const isLarge = source.text[start] === "{" && end - start >= smallObject;
  if (isLarge) return new SkimmedMap(source, start, end, depth, report);
  return parseValueAt(source, start, depth, report);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

/** Returns the offset of the next character that is not white space. */
export function skipBlanks(text: string, offset: number): number {
  let at = offset;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Returns the offset after the white space, and after the comma or colon in it. */
function skipSeparator(text: string, offset: number): number {
  const at = skipBlanks(text, offset);
  const character = text.charCodeAt(at);
  return character === comma || character === colon ? skipBlanks(text, at + 1) : at;
}

/**
 * Returns the offset after the value that begins at `offset`. The text must be valid JSON: this function does not check
 * it.
 */
export function skipValue(text: string, offset: number): number {
  let at = offset;
  let depth = 0;
  do {
    const character = text.charCodeAt(at);
    if (character === quote) at = skipString(text, at);
    else if (isOpening(character)) {
      depth++;
      at++;
    } else if (isClosing(character)) {
      depth--;
      at++;
    } else if (depth === 0) at = skipWord(text, at);
    else at++;
  } while (depth > 0);
  return at;
}

function skipString(text: string, offset: number): number {
  let end = text.indexOf('"', offset + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Whether an odd number of backslashes precedes the quote, so that it does not end the string. */
function isEscaped(text: string, offset: number): boolean {
  let at = offset - 1;
  while (text.charCodeAt(at) === backslash) at--;
  return (offset - at) % 2 === 0;
}

/** Returns the offset after a number, `true`, `false` or `null`. */
function skipWord(text: string, offset: number): number {
  let at = offset;
  while (/[\w.+-]/.test(text.charAt(at))) at++;
  return at;
}

function isOpening(character: number): boolean {
  return character === 0x7b || character === 0x5b;
}

function isClosing(character: number): boolean {
  return character === 0x7d || character === 0x5d;
}
