// Parses a large JSON file but leaves its objects unread until they are accessed: most of an API with thousands of
// operations and a few streams is never accessed.

import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { DocumentNode, JsonObject, ListNode, MapEntry, MapNode } from "../../trees/document.ts";
import { maximumDepth } from "../document/limits.ts";
import { sharedText } from "../document/nodes.ts";
import { createJsonString, createJsonWord } from "./parse-json.ts";

/** In a text with mistakes, objects with fewer characters are read with the object around them. */
const smallObject = 4096;

/**
 * Returns the tree of a file that is one object; `undefined` for any other file, and for text with errors, which the
 * full parser reports. Duplicate keys are reported only in objects that are accessed, and in small ones within them.
 */
export function skimJson(file: SourceText, report: Report): MapNode | undefined {
  const start = skipBlanks(file.text, 0);
  if (file.text[start] !== "{") return undefined;
  const json = tryParse(file.text);
  if (json === undefined) return undefined;
  parsed.set(file, new WeakRef(json));
  const outline = outlineOf(file, json, report);
  return new SkimmedMap(outline, 0, 0, spanOf(file, start, outline.ends[0] ?? start));
}

function tryParse(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // The full parser reports the place and the reason.
    return undefined;
  }
}

/** The JSON of texts that were skimmed, until the memory is needed. */
const parsed = new WeakMap<SourceText, WeakRef<JsonObject>>();

/** Returns the JSON of a text that is valid. */
export function jsonOfText(source: SourceText): JsonObject {
  return parsed.get(source)?.deref() ?? JSON.parse(source.text);
}

/** Whether a node is read on demand. */
export function isSkimmed(node: DocumentNode): boolean {
  return node instanceof SkimmedMap;
}

/** The objects and lists of a text, numbered in the order in which they begin. */
interface Outline {
  readonly source: SourceText;
  readonly report: Report;
  /** The offset after each object and list. */
  readonly ends: ArrayLike<number>;
  /** For each, the number of the first one that begins after its end. */
  readonly next: ArrayLike<number>;
  /** For each, the bits of its keys, so that an object without a key is not read to find that out. */
  readonly keys: ArrayLike<number>;
  /** Whether nothing is to be reported, so that no part has to be read for its mistakes. */
  readonly isSound: boolean;
}

function outlineOf(source: SourceText, json: object, report: Report): Outline {
  const { text } = source;
  const ends: number[] = [];
  const next: number[] = [];
  const keys: number[] = [];
  const open: number[] = [];
  let entries = 0;
  let [stringStart, stringEnd] = [0, 0];
  let backslash = text.indexOf("\\");
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      stringStart = at + 1;
      at = skipString(text, at) - 1;
      stringEnd = at;
    } else if (character === colon) {
      entries++;
      if (backslash !== -1 && backslash < stringStart) backslash = text.indexOf("\\", stringStart);
      const isPlain = backslash === -1 || backslash >= stringEnd;
      const index = open[open.length - 1] ?? 0;
      keys[index] = isPlain
        ? (keys[index] ?? 0) | bitOf(text.charCodeAt(stringStart), stringEnd - stringStart)
        : anyKey;
    } else if (isOpening(character)) {
      open.push(ends.length);
      ends.push(0);
      next.push(0);
      keys.push(0);
    } else if (isClosing(character)) {
      const index = open.pop() ?? 0;
      ends[index] = at + 1;
      next[index] = ends.length;
    }
  }
  // Of duplicate keys, JSON keeps one.
  const isSound = countEntries(json, 0) === entries;
  return {
    ...{ source, report, isSound },
    ...{ ends: new Uint32Array(ends), next: new Uint32Array(next), keys: new Int32Array(keys) },
  };
}

/** The bits of an object that may have any key, since one is written with escapes. */
const anyKey = -1;

/** Returns the bit, one of 32, of keys with that length and first character. `$ref` shares its own with no common key. */
function bitOf(first: number, length: number): number {
  return length === 0 ? 1 : 1 << (first * 5 + length * 3);
}

/** Returns the number of entries of a value and those in it; `NaN` if it is too deep or has a number out of range. */
function countEntries(value: unknown, depth: number): number {
  if (typeof value === "number") return Number.isFinite(value) ? 0 : Number.NaN;
  if (typeof value !== "object" || value === null) return 0;
  if (depth >= maximumDepth) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countEntries(item, depth + 1);
    return count;
  }
  // A list of its values would take three times as long.
  const entries: Readonly<Record<string, unknown>> = value as Readonly<Record<string, unknown>>;
  for (const key in entries) count += 1 + countEntries(entries[key], depth + 1);
  return count;
}

class SkimmedMap implements MapNode {
  readonly kind = "map";
  readonly span: Span;
  readonly #outline: Outline;
  readonly #index: number;
  readonly #depth: number;
  #entries: readonly MapEntry[] | undefined;
  /** The object that has it as the value of `#key`; absent in lists. */
  #around: SkimmedMap | undefined;
  #key = "";
  /** Whether its entries are no longer those of the text. */
  #isChanged = false;

  /** `index`: its number; `depth`: the number of objects and lists around it. */
  constructor(outline: Outline, index: number, depth: number, span: Span) {
    this.span = span;
    this.#outline = outline;
    this.#index = index;
    this.#depth = depth;
  }

  get entries(): readonly MapEntry[] {
    this.#entries ??= this.#read(false) ?? [];
    return this.#entries;
  }

  mayHold(key: string): boolean {
    const { keys, isSound } = this.#outline;
    if (!isSound || this.#entries !== undefined) return true;
    return ((keys[this.#index] ?? anyKey) & bitOf(key.charCodeAt(0), key.length)) !== 0;
  }

  json(): JsonObject | undefined {
    const { source, isSound } = this.#outline;
    if (!isSound || this.#isChanged) return undefined;
    if (this.#index === 0) return parsed.get(source)?.deref();
    return this.#around?.json()?.[this.#key] as JsonObject | undefined;
  }

  /** Reads the object and what is in it; returns `undefined` if brackets in it are nested too deep. */
  readNow(): SkimmedMap | undefined {
    this.#entries = this.#read(true);
    return this.#entries && this;
  }

  #read(isWhole: boolean): readonly MapEntry[] | undefined {
    const entries = readEntries(this.#outline, this.#index, this.span.start, this.#depth, isWhole);
    for (const { key, value } of entries ?? []) {
      if (!(value instanceof SkimmedMap)) continue;
      value.#around = this;
      value.#key = key;
    }
    return entries;
  }

  /** Returns the same object with other entries, at another place. */
  with(entries: readonly MapEntry[], span: Span): SkimmedMap {
    const changed = new SkimmedMap(this.#outline, this.#index, this.#depth, span);
    changed.#entries = entries;
    changed.#isChanged = true;
    return changed;
  }
}

/** Returns a map with other entries, at another place. A map that is read on demand stays one. */
export function withEntries(map: MapNode, entries: readonly MapEntry[], span: Span): MapNode {
  return map instanceof SkimmedMap ? map.with(entries, span) : { kind: "map", entries, span };
}

/**
 * Returns the entries of the object with the number `index` that begins at `start`. `isWhole`: what is in it is read as
 * well, and the result is `undefined` if brackets in it are nested too deep.
 */
function readEntries(
  outline: Outline,
  index: number,
  start: number,
  depth: number,
  isWhole: boolean,
): readonly MapEntry[] | undefined {
  const { source, report, next, isSound } = outline;
  const { text } = source;
  if (isTooDeep(outline, start, depth)) return undefined;
  const entries: MapEntry[] = [];
  const known = isSound ? undefined : new Map<string, Span>();
  let inner = index + 1;
  for (let at = skipBlanks(text, start + 1); !isClosing(text.charCodeAt(at)); ) {
    const keyEnd = skipString(text, at);
    const key = readString(text, at, keyEnd);
    const keySpan = spanOf(source, at + 1, keyEnd - 1);
    const valueStart = skipSeparator(text, keyEnd);
    const valueEnd = endOfValue(outline, inner, valueStart);
    const first = known?.get(key);
    const isSkipped = first !== undefined && !isWhole;
    const value = isSkipped ? undefined : readValue(outline, inner, valueStart, valueEnd, depth + 1, isWhole);
    if (value === undefined && isWhole) return undefined;
    if (first !== undefined)
      report("GW1012", keySpan, { key }, { span: first, message: "The first one is here." });
    else if (value !== undefined) {
      known?.set(key, keySpan);
      entries.push({ key, keySpan, value });
    }
    if (isOpening(text.charCodeAt(valueStart))) inner = next[inner] ?? inner;
    at = skipSeparator(text, valueEnd);
  }
  // An array that grew has room for sixteen more entries, and most objects are small.
  return entries.slice();
}

/** Returns the value from `start` to `end`; `undefined` if it is read whole and brackets in it are nested too deep. */
function readValue(
  outline: Outline,
  index: number,
  start: number,
  end: number,
  depth: number,
  isWhole: boolean,
): DocumentNode | undefined {
  const { source, report, isSound } = outline;
  switch (source.text.charCodeAt(start)) {
    case quote:
      return createJsonString(source, readString(source.text, start, end), start, end);
    case brace: {
      const map = new SkimmedMap(outline, index, depth, spanOf(source, start, end));
      return isSound || (!isWhole && end - start >= smallObject) ? map : map.readNow();
    }
    case bracket:
      return readList(outline, index, spanOf(source, start, end), depth);
    default:
      return createJsonWord(source, start, end, report);
  }
}

function readList(outline: Outline, index: number, span: Span, depth: number): ListNode | undefined {
  const { source, next } = outline;
  const { text } = source;
  if (isTooDeep(outline, span.start, depth)) return undefined;
  const items: DocumentNode[] = [];
  let inner = index + 1;
  for (let at = skipBlanks(text, span.start + 1); !isClosing(text.charCodeAt(at)); ) {
    const end = endOfValue(outline, inner, at);
    const item = readValue(outline, inner, at, end, depth + 1, true);
    if (item === undefined) return undefined;
    items.push(item);
    if (isOpening(text.charCodeAt(at))) inner = next[inner] ?? inner;
    at = skipSeparator(text, end);
  }
  return { kind: "list", items: items.slice(), span };
}

/** Whether an object or a list has too many others around it, which is then reported. */
function isTooDeep({ source, report, isSound }: Outline, start: number, depth: number): boolean {
  if (isSound || depth < maximumDepth) return false;
  report("GW1007", spanOf(source, start, start + 1), { limit: maximumDepth });
  return true;
}

/** Returns the offset after the value at `start`. `index`: its number if it is an object or a list. */
function endOfValue({ source: { text }, ends }: Outline, index: number, start: number): number {
  const character = text.charCodeAt(start);
  if (character === quote) return skipString(text, start);
  return isOpening(character) ? (ends[index] ?? start) : skipWord(text, start);
}

/** Returns the string that is written from `start` to `end`, quotes included. */
function readString(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, end - 1);
  return sharedText(written.includes("\\") ? JSON.parse(text.slice(start, end)) : written);
}

const quote = 0x22;
const brace = 0x7b;
const bracket = 0x5b;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

/** Returns the offset of the next character that is not white space. */
function skipBlanks(text: string, offset: number): number {
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
  // The text is valid, so a comma, a bracket or white space follows.
  for (;;) {
    const character = text.charCodeAt(at);
    if (character <= 0x20 || character === comma || isClosing(character)) return at;
    at++;
  }
}

function isOpening(character: number): boolean {
  return character === brace || character === bracket;
}

function isClosing(character: number): boolean {
  return character === 0x7d || character === 0x5d;
}
