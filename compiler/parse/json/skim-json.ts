// Parses a large JSON file but leaves its large objects unread until they are accessed: most of an API with thousands
// of operations and a few streams is never accessed.

import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { DocumentNode, ListNode, MapEntry, MapNode } from "../../trees/document.ts";
import { maximumDepth } from "../document/limits.ts";
import { sharedText } from "../document/nodes.ts";
import { createJsonString, createJsonWord, Entries } from "./parse-json.ts";

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

/** The ends of the large objects and lists of a text that were skipped, by their beginnings, so that each is skipped once. */
const largeEnds = new WeakMap<SourceText, Map<number, number>>();

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
  const ends = largeEnds.get(source) ?? new Map<number, number>();
  largeEnds.set(source, ends);
  for (let at = skipBlanks(text, start + 1); at < end - 1; ) {
    const keyEnd = skipString(text, at);
    const key = readString(text, at, keyEnd);
    const keySpan = spanOf(source, at + 1, keyEnd - 1);
    const valueStart = skipSeparator(text, keyEnd);
    const valueEnd = skipValue(text, valueStart, ends);
    at = skipSeparator(text, valueEnd);
    const first = entries.get(key);
    if (first !== undefined) {
      report("GW1012", keySpan, { key }, { span: first.keySpan, message: "The first one is here." });
      continue;
    }
    const value = readValue(spanOf(source, valueStart, valueEnd), depth, report);
    if (value !== undefined) entries.set(key, { key, keySpan, value });
  }
  return [...entries.values()];
}

function readValue({ source, start, end }: Span, depth: number, report: Report): DocumentNode | undefined {
  const isLarge = source.text[start] === "{" && end - start >= smallObject;
  if (isLarge) return new SkimmedMap(source, start, end, depth, report);
  return readWhole({ source, report, at: start }, depth);
}

/** A place in a text that is valid JSON. */
interface Reading {
  readonly source: SourceText;
  readonly report: Report;
  at: number;
}

/**
 * Returns the tree of the full parser, which checks each character, for text that is known to be valid. Returns
 * `undefined` for a value with too many objects and lists inside each other, and reports it.
 */
function readWhole(reading: Reading, depth: number): DocumentNode | undefined {
  const { source, at } = reading;
  const { text } = source;
  const character = text.charCodeAt(at);
  if (character === quote) {
    reading.at = skipString(text, at);
    return createJsonString(source, readString(text, at, reading.at), at, reading.at);
  }
  if (isOpening(character)) {
    if (depth < maximumDepth) return character === brace ? readMap(reading, depth) : readList(reading, depth);
    reading.report("GW1007", spanOf(source, at, at + 1), { limit: maximumDepth });
    return undefined;
  }
  reading.at = skipWord(text, at);
  return createJsonWord(source, at, reading.at, reading.report);
}

function readList(reading: Reading, depth: number): ListNode | undefined {
  const { source, at: start } = reading;
  const { text } = source;
  const items: DocumentNode[] = [];
  reading.at = skipBlanks(text, start + 1);
  while (!isClosing(text.charCodeAt(reading.at))) {
    const item = readWhole(reading, depth + 1);
    if (item === undefined) return undefined;
    items.push(item);
    reading.at = skipSeparator(text, reading.at);
  }
  reading.at++;
  return { kind: "list", items: items.slice(), span: spanOf(source, start, reading.at) };
}

function readMap(reading: Reading, depth: number): MapNode | undefined {
  const { source, at: start } = reading;
  const { text } = source;
  const entries = new Entries();
  reading.at = skipBlanks(text, start + 1);
  while (!isClosing(text.charCodeAt(reading.at))) {
    const keyStart = reading.at;
    const keyEnd = skipString(text, keyStart);
    const key = readString(text, keyStart, keyEnd);
    const keySpan = spanOf(source, keyStart + 1, keyEnd - 1);
    reading.at = skipSeparator(text, keyEnd);
    const value = readWhole(reading, depth + 1);
    if (value === undefined) return undefined;
    entries.add({ key, keySpan, value }, reading.report);
    reading.at = skipSeparator(text, reading.at);
  }
  reading.at++;
  return { kind: "map", entries: entries.all(), span: spanOf(source, start, reading.at) };
}

/** Returns the string that is written from `start` to `end`, quotes included. */
function readString(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, end - 1);
  return sharedText(written.includes("\\") ? JSON.parse(text.slice(start, end)) : written);
}

const quote = 0x22;
const brace = 0x7b;
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
 * it. Adds the large objects and lists in the value to `ends`.
 */
export function skipValue(text: string, offset: number, ends: Map<number, number>): number {
  const known = ends.get(offset);
  if (known !== undefined) return known;
  let at = offset;
  const open: number[] = [];
  do {
    const character = text.charCodeAt(at);
    if (character === quote) at = skipString(text, at);
    else if (isOpening(character)) {
      open.push(at);
      at++;
    } else if (isClosing(character)) {
      const start = open.pop() ?? at;
      at++;
      if (at - start >= smallObject) ends.set(start, at);
    } else if (open.length === 0) at = skipWord(text, at);
    else at++;
  } while (open.length > 0);
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
  return character === brace || character === 0x5b;
}

function isClosing(character: number): boolean {
  return character === 0x7d || character === 0x5d;
}
