// Parses the YAML style of most documents directly: block maps and lists, scalars and flow collections on one line, and
// block scalars. The YAML reader parses an entry or item in any other style on its own; if it finds a problem or an
// anchor there, it parses the whole document. Its tokens and nodes take ten times the time and memory.

import { type SourceText, spanOf } from "../../source/source.ts";
import type { DocumentNode, MapEntry, ScalarNode } from "../../trees/document.ts";
import { createPlainScalar, sharedText } from "../document/nodes.ts";
import { createLiteral, plainValue } from "./scalars.ts";

/** Reads a part of the text, which consists of whole lines, with the YAML reader alone. */
export type ReadPart = (start: number, end: number, depth: number) => DocumentNode | undefined;

/** A key, and where the search for its value begins. */
interface Key {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The offset after the colon. */
  readonly after: number;
}

const space = 0x20;
const tab = 0x09;
const newline = 0x0a;
const carriageReturn = 0x0d;
const hash = 0x23;
const dash = 0x2d;
const colon = 0x3a;
const comma = 0x2c;
const pipe = 0x7c;
const greater = 0x3e;
const doubleQuote = 0x22;
const singleQuote = 0x27;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Characters that cannot begin a plain scalar. `-` cannot either, but only before a blank. */
const indicators: ReadonlySet<number> = new Set([..."?:,[]{}#&*!|>'\"%@`"].map((each) => each.charCodeAt(0)));

const flowIndicators: ReadonlySet<number> = new Set([..."[]{},"].map((each) => each.charCodeAt(0)));

/** Line breaks and marks that YAML 1.1 supported, further documents, and directives. */
const unusual = /\r(?!\n)|[\u0085\u2028\u2029\uFEFF]|^(?:%|---|\.\.\.)/m;

/** Folds the lines of a text: a single line break becomes a space, and the first of several is dropped. */
function fold(text: string): string {
  return text.replace(/\n+/g, (breaks) => breaks.slice(1) || " ");
}

/** The text that may precede the only document of a file. */
const beginning = /^(?:[ ]*(?:#[^\n]*)?\n)*---[ ]*\r?\n/;

/** The maximum length of a key that the YAML reader accepts without a question mark. */
const longestKey = 1000;

/**
 * Returns the tree of a text; `undefined` if the YAML reader has to read all of it. `limit`: maximum nesting of
 * collections.
 */
export function readBlocks(file: SourceText, limit: number, readPart: ReadPart): DocumentNode | undefined {
  const { text } = file;
  // The current line. Blank lines and comments are skipped.
  let lineStart = 0;
  let content = 0;
  let lineEnd = 0;
  let nextLine = 0;
  /** Whether the YAML reader has to read the whole text. */
  let isLost = false;
  /** The end of the last value that was read. */
  let valueEnd = 0;

  const first = beginning.exec(text)?.[0].length ?? 0;
  if (unusual.test(text.slice(first))) return undefined;
  goTo(first);
  if (isAtEnd()) return undefined;
  const tree = readCollection(0);
  return isLost || !isAtEnd() ? undefined : tree;

  function isAtEnd(): boolean {
    return lineStart >= text.length;
  }

  function indent(): number {
    return isAtEnd() ? -1 : content - lineStart;
  }

  /** Moves to the first line with content at or after an offset, which is the start of a line. */
  function goTo(offset: number): void {
    for (let at = offset; at < text.length; at = nextLine) {
      setLine(at);
      const code = text.charCodeAt(content);
      if (content === lineEnd || code === hash) continue;
      if (code === tab) isLost = true;
      return;
    }
    lineStart = text.length;
    content = text.length;
    lineEnd = text.length;
  }

  function setLine(at: number): void {
    const found = text.indexOf("\n", at);
    const end = found === -1 ? text.length : found;
    lineStart = at;
    nextLine = end + 1;
    content = at;
    while (text.charCodeAt(content) === space) content++;
    lineEnd = end > content && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end;
  }

  /** Reads the map or list that begins at the current line. */
  function readCollection(depth: number): DocumentNode | undefined {
    return isItem(content) ? readList(depth) : readMap(content, depth);
  }

  /** Whether a dash that starts a list item is at `at`. */
  function isItem(at: number): boolean {
    return text.charCodeAt(at) === dash && (at + 1 === lineEnd || text.charCodeAt(at + 1) === space);
  }

  /** Reads the map whose first key is at an offset of the line, after blanks or after the dash of an item. */
  function readMap(start: number, depth: number): DocumentNode | undefined {
    if (depth >= limit) return undefined;
    const own = start - lineStart;
    const entries: MapEntry[] = [];
    const keys = new Set<string>();
    for (let at = start; ; at = content) {
      const begins = lineStart;
      const entry = readEntry(at, own, depth) ?? (at === content ? readAlone(begins, own, depth) : undefined);
      if (entry === undefined || isLost) return undefined;
      if (keys.has(entry.key)) return lose();
      keys.add(entry.key);
      entries.push(entry);
      if (indent() !== own || isItem(content)) break;
    }
    if (indent() > own || (indent() === own && isItem(content))) return undefined;
    valueEnd = trimmedEnd(valueEnd);
    // Here and below, a copy has the exact length. An array that grew has spare capacity.
    return { kind: "map", entries: entries.slice(), span: spanOf(file, start, valueEnd) };
  }

  function readEntry(at: number, own: number, depth: number): MapEntry | undefined {
    const key = readKey(at);
    if (key === undefined) return undefined;
    const value = readValue(key.after, own, depth, true);
    return value && { key: key.text, keySpan: spanOf(file, key.start, key.end), value };
  }

  /** Reads the entry whose line began at `begins` with the YAML reader. */
  function readAlone(begins: number, own: number, depth: number): MapEntry | undefined {
    const part = readRegion(begins, own, depth, true);
    const entry = part?.kind === "map" && part.entries.length === 1 ? part.entries[0] : undefined;
    const before = entry && text.slice(begins + own, entry.keySpan.start);
    // The position of a missing key is after the text above it.
    if (entry === undefined || !/^["']?$/.test(before ?? "?") || entry.key === "") return lose();
    return entry;
  }

  function readRegion(
    begins: number,
    own: number,
    depth: number,
    hasItems: boolean,
  ): DocumentNode | undefined {
    if (isLost) return undefined;
    setLine(begins);
    do goTo(nextLine);
    while (indent() > own || (hasItems && indent() === own && isItem(content)));
    const part = readPart(begins, lineStart, depth);
    if (part === undefined) return lose();
    valueEnd = part.span.end;
    return part;
  }

  function lose(): undefined {
    isLost = true;
  }

  function readList(depth: number): DocumentNode | undefined {
    if (depth >= limit) return undefined;
    const own = content - lineStart;
    const start = content;
    const items: DocumentNode[] = [];
    do {
      const begins = lineStart;
      const item = readItem(own, depth) ?? readItemAlone(begins, own, depth);
      if (item === undefined || isLost) return undefined;
      items.push(item);
    } while (indent() === own && isItem(content));
    if (indent() > own) return undefined;
    valueEnd = trimmedEnd(valueEnd);
    return { kind: "list", items: items.slice(), span: spanOf(file, start, valueEnd) };
  }

  function readItem(own: number, depth: number): DocumentNode | undefined {
    const at = skipSpaces(content + 1);
    if (readKey(at) === undefined) return readValue(content + 1, own, depth, false);
    const map = readMap(at, depth + 1);
    return map !== undefined && indent() <= own ? map : undefined;
  }

  function readItemAlone(begins: number, own: number, depth: number): DocumentNode | undefined {
    const part = readRegion(begins, own, depth, false);
    return part?.kind === "list" && part.items.length === 1 ? part.items[0] : lose();
  }

  function skipSpaces(offset: number): number {
    let at = offset;
    while (text.charCodeAt(at) === space) at++;
    return at;
  }

  /** Reads the key at an offset of the line; `undefined` if this parser cannot read one there. */
  function readKey(at: number): Key | undefined {
    const code = text.charCodeAt(at);
    if (code === doubleQuote || code === singleQuote) {
      const close = closingQuote(at);
      if (close === undefined || !isKeyColon(close + 1)) return undefined;
      return { text: sharedText(text.slice(at + 1, close)), start: at + 1, end: close, after: close + 2 };
    }
    if (!startsPlain(at)) return undefined;
    for (let end = at; end < lineEnd; end++) {
      const next = text.charCodeAt(end);
      if (next === tab || (next === hash && text.charCodeAt(end - 1) === space)) return undefined;
      if (next !== colon || !isKeyColon(end)) continue;
      const key = text.slice(at, end);
      if (key.endsWith(" ") || key.length > longestKey || key === "<<") return undefined;
      return { text: sharedText(key), start: at, end, after: end + 1 };
    }
    return undefined;
  }

  /** Whether a colon is at `at`, followed by a blank or the end of the line. */
  function isKeyColon(at: number): boolean {
    return (
      text.charCodeAt(at) === colon &&
      (at + 1 === lineEnd || text.charCodeAt(at + 1) === space) &&
      at < lineEnd
    );
  }

  function startsPlain(at: number): boolean {
    const code = text.charCodeAt(at);
    return at < lineEnd && !indicators.has(code) && code !== tab && !isItem(at);
  }

  /** Returns the closing quote; `undefined` if the text contains an escape or continues on the next line. */
  function closingQuote(at: number): number | undefined {
    const quote = text.charCodeAt(at);
    for (let close = at + 1; close < lineEnd; close++) {
      const code = text.charCodeAt(close);
      if (code === 0x5c && quote === doubleQuote) return undefined;
      if (code === quote)
        return quote === singleQuote && text.charCodeAt(close + 1) === quote ? undefined : close;
    }
    return undefined;
  }

  /** Reads the value after a colon or a dash, on its line or the lines below. */
  function readValue(offset: number, own: number, depth: number, isEntry: boolean): DocumentNode | undefined {
    const at = skipSpaces(offset);
    const code = text.charCodeAt(at);
    if (at >= lineEnd || (code === hash && at > offset)) return readBelow(at, own, depth, isEntry);
    if (code === pipe || code === greater) return readBlock(at, own);
    const inLine = readInLine(at, depth + 1);
    if (inLine === undefined || !isLineOver(valueEnd)) return undefined;
    goTo(nextLine);
    // A line with deeper indentation continues the scalar.
    return indent() > own ? undefined : inLine;
  }

  function readBelow(at: number, own: number, depth: number, isEntry: boolean): DocumentNode | undefined {
    goTo(nextLine);
    if (indent() > own || (isEntry && indent() === own && isItem(content))) return readCollection(depth + 1);
    valueEnd = at;
    return createPlainScalar(file, null, at, at);
  }

  /** Whether the rest of the line is empty or a comment. */
  function isLineOver(end: number): boolean {
    const at = skipSpaces(end);
    return at >= lineEnd || (text.charCodeAt(at) === hash && at > end);
  }

  function readInLine(at: number, depth: number): DocumentNode | undefined {
    const code = text.charCodeAt(at);
    if (code === doubleQuote || code === singleQuote) return readQuoted(at);
    if (code === openBrace) return readFlowMap(at, depth);
    if (code === openBracket) return readFlowList(at, depth);
    return readPlain(at, false);
  }

  function readQuoted(at: number): ScalarNode | undefined {
    const close = closingQuote(at);
    if (close === undefined) return undefined;
    valueEnd = close + 1;
    return createPlainScalar(file, sharedText(text.slice(at + 1, close)), at + 1, close);
  }

  function readPlain(at: number, isInFlow: boolean): ScalarNode | undefined {
    if (!startsPlain(at)) return undefined;
    let end = at;
    for (; end < lineEnd; end++) {
      const code = text.charCodeAt(end);
      if (code === tab) return undefined;
      if (code === hash && text.charCodeAt(end - 1) === space) break;
      if (code === colon && (isKeyColon(end) || (isInFlow && flowIndicators.has(text.charCodeAt(end + 1)))))
        return undefined;
      if (isInFlow && flowIndicators.has(code)) break;
    }
    while (text.charCodeAt(end - 1) === space) end--;
    valueEnd = end;
    const written = text.slice(at, end);
    const value = plainValue(written);
    return value === undefined ? undefined : createPlainScalar(file, value, at, end);
  }

  function readFlowMap(start: number, depth: number): DocumentNode | undefined {
    if (depth >= limit) return undefined;
    const entries: MapEntry[] = [];
    const keys = new Set<string>();
    let at = skipSpaces(start + 1);
    while (text.charCodeAt(at) !== closeBrace || entries.length > 0) {
      const key = readKey(at);
      if (key === undefined || /[,[\]{}]/.test(key.text) || key.after >= lineEnd) return undefined;
      const value = readInFlow(skipSpaces(key.after), depth);
      if (value === undefined) return undefined;
      if (keys.has(key.text)) return lose();
      keys.add(key.text);
      entries.push({ key: key.text, keySpan: spanOf(file, key.start, key.end), value });
      at = skipSpaces(valueEnd);
      if (text.charCodeAt(at) === closeBrace) break;
      if (text.charCodeAt(at) !== comma) return undefined;
      at = skipSpaces(at + 1);
    }
    valueEnd = at + 1;
    return { kind: "map", entries: entries.slice(), span: spanOf(file, start, valueEnd) };
  }

  function readFlowList(start: number, depth: number): DocumentNode | undefined {
    if (depth >= limit) return undefined;
    const items: DocumentNode[] = [];
    let at = skipSpaces(start + 1);
    while (text.charCodeAt(at) !== closeBracket || items.length > 0) {
      const item = readInFlow(at, depth);
      if (item === undefined) return undefined;
      items.push(item);
      at = skipSpaces(valueEnd);
      if (text.charCodeAt(at) === closeBracket) break;
      if (text.charCodeAt(at) !== comma) return undefined;
      at = skipSpaces(at + 1);
    }
    valueEnd = at + 1;
    return { kind: "list", items: items.slice(), span: spanOf(file, start, valueEnd) };
  }

  /** Reads a value in brackets, before a comma or a closing bracket. */
  function readInFlow(at: number, depth: number): DocumentNode | undefined {
    const code = text.charCodeAt(at);
    const isPlain = ![doubleQuote, singleQuote, openBrace, openBracket].includes(code);
    return isPlain ? readPlain(at, true) : readInLine(at, depth + 1);
  }

  /** Reads a block after `|`, whose lines are indented at least as far as the first, or after `>`, exactly as far. */
  function readBlock(at: number, own: number): ScalarNode | undefined {
    const header = text.slice(at, lineEnd);
    if (!/^[|>]-?$/.test(header)) return undefined;
    const isFolded = text.charCodeAt(at) === greater;
    const start = nextLine;
    const lines: string[] = [];
    let width: number | undefined;
    let end = start;
    let isBroken = false;
    let blanks = 0;
    while (nextLine < text.length) {
      setLine(nextLine);
      const wide = content - lineStart;
      if (content === lineEnd) {
        if (wide > (width ?? 0)) return undefined;
        blanks++;
        continue;
      }
      if (text.charCodeAt(content) === tab) return undefined;
      if (wide <= own) break;
      // Blank lines before folded text, and lines that are indented further, follow rules of their own.
      if (isFolded && (width === undefined ? blanks > 0 : wide > width)) return undefined;
      width ??= wide;
      if (wide < width) return undefined;
      for (; blanks > 0; blanks--) lines.push("");
      lines.push(text.slice(lineStart + width, lineEnd));
      end = Math.min(nextLine, text.length);
      isBroken = text.charCodeAt(end - 1) === newline;
    }
    if (width === undefined) return undefined;
    goTo(end);
    valueEnd = end;
    const joined = isFolded ? fold(lines.join("\n")) : lines.join("\n");
    const value = header.length === 1 && isBroken ? `${joined}\n` : joined;
    return createLiteral(file, value, { header, parentIndent: own, start, end });
  }

  function trimmedEnd(offset: number): number {
    let end = offset;
    while (/\s/.test(text.charAt(end - 1))) end--;
    return end;
  }
}
