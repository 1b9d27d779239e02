// A large JSON file in, its tree out, but for its large objects: their content is read when it is looked at.
// Of an API with thousands of operations and a few streams, most is never looked at.

import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { DocumentNode, MapEntry, MapNode } from "../../trees/document.ts";
import { maximumDepth } from "../document/limits.ts";
import { parseValueAt } from "./parse-json.ts";

/** Objects of fewer characters are read at once. */
const smallObject = 4096;

/**
 * The tree of a file that is one object; `undefined` for any other, and for text with mistakes, which the
 * full parser tells. Keys written twice are reported only in objects that are looked at.
 */
export function skimJson(file: SourceText, report: Report): MapNode | undefined {
  const start = skipBlanks(file.text, 0);
  if (file.text[start] !== "{" || !isJson(file.text)) return undefined;
  // The text is one object, which ends with its last bracket.
  return new SkimmedMap(file, start, file.text.lastIndexOf("}") + 1, 0, report);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The full parser says where and why.
    return false;
  }
}

/** Whether a node was left to be read when it is looked at. */
export function isSkimmed(node: DocumentNode): boolean {
  return node instanceof SkimmedMap;
}

class SkimmedMap implements MapNode {
  readonly kind = "map";
  readonly span: Span;
  readonly #depth: number;
  readonly #report: Report;
  #entries: readonly MapEntry[] | undefined;

  /** `depth`: how many objects and lists it stands in. */
  constructor(file: SourceText, start: number, end: number, depth: number, report: Report) {
    this.span = spanOf(file, start, end);
    this.#depth = depth;
    this.#report = report;
  }

  get entries(): readonly MapEntry[] {
    this.#entries ??= readEntries(this.span, this.#depth + 1, this.#report);
    return this.#entries;
  }

  /** The same object with other entries, at another place. */
  with(entries: readonly MapEntry[], { source, start, end }: Span): SkimmedMap {
    const changed = new SkimmedMap(source, start, end, this.#depth, this.#report);
    changed.#entries = entries;
    return changed;
  }
}

/** A map with other entries, at another place; one that was left to be read stays one. */
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

/** The offset of the next character that is not white space. */
export function skipBlanks(text: string, offset: number): number {
  let at = offset;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Past the white space, and the comma or colon in it. */
function skipSeparator(text: string, offset: number): number {
  const at = skipBlanks(text, offset);
  const character = text.charCodeAt(at);
  return character === comma || character === colon ? skipBlanks(text, at + 1) : at;
}

/** Past the value that begins at `offset`. The text has to be valid JSON: nothing is looked at twice. */
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

/** An odd number of backslashes before it: it does not end the string. */
function isEscaped(text: string, offset: number): boolean {
  let at = offset - 1;
  while (text.charCodeAt(at) === backslash) at--;
  return (offset - at) % 2 === 0;
}

/** A number, `true`, `false`, `null`. */
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
