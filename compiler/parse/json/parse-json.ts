// Parses a JSON file (RFC 8259, without extensions) into a tree with source ranges, which know the place of each
// character of a string with escapes. Stops at the first syntax error, because JSON does not show what was meant after
// it.

import { createScanner, type JSONScanner } from "jsonc-parser";
import type { JsonProblem } from "../../diagnostics/catalogue/1-document.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { DocumentNode, ListNode, MapEntry, MapNode, ScalarNode } from "../../trees/document.ts";
import { createDecodedText } from "../document/decoded-text.ts";
import { maximumDepth } from "../document/limits.ts";
import { createDecodedScalar, createPlainScalar, sharedText } from "../document/nodes.ts";

/** Returns a node for the string `value` that is written from `start` to `end`, quotes included. */
export function createJsonString(file: SourceText, value: string, start: number, end: number): ScalarNode {
  // A string without escapes is as long as its written form.
  if (value.length === end - start - 2) return createPlainScalar(file, value, start + 1, end - 1);
  return createDecodedScalar(
    value,
    () => spanOf(file, start + 1, end - 1),
    () => decode(file, value, start + 1, end - 1),
  );
}

/** Maps each escape to one character of the value: `\n` has two characters in the file, `\u00e9` has six. */
function decode(file: SourceText, value: string, start: number, end: number): SourceText {
  const out = createDecodedText(file);
  let at = start;
  for (let index = 0; index < value.length; index++) {
    if (file.text.charAt(at) !== "\\") {
      out.copy(at, at + 1);
      at++;
      continue;
    }
    const length = file.text.charAt(at + 1) === "u" ? 6 : 2;
    out.add(value.charAt(index), at, length);
    at += length;
  }
  return out.finish(end);
}

const tokenKind = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  lineComment: 12,
  blockComment: 13,
  unknown: 16,
  end: 17,
} as const;

const scanError = {
  none: 0,
  unclosedComment: 1,
  unclosedString: 2,
  unfinishedNumber: 3,
  badUnicode: 4,
  badEscape: 5,
  badCharacter: 6,
} as const;

/** Returns the tree of a JSON file; `undefined` if an error was reported. Duplicate keys keep the first value. */
export function parseJson(file: SourceText, report: Report): DocumentNode | undefined {
  const reader = createReader(file, report);
  reader.advance();
  const node = parseValue(reader, 0);
  if (node === undefined) return undefined;
  if (reader.token !== tokenKind.end) return reader.fail("extra-text");
  return node;
}

/** Parses the value that begins at `offset` of a file, within `depth` others. Ignores the text after it. */
export function parseValueAt(
  file: SourceText,
  offset: number,
  depth: number,
  report: Report,
): DocumentNode | undefined {
  const reader = createReader(file, report);
  reader.scanner.setPosition(offset);
  reader.advance();
  return parseValue(reader, depth);
}

interface Reader {
  readonly file: SourceText;
  readonly report: Report;
  readonly scanner: JSONScanner;
  token: number;
  /** Moves to the next token that is not white space. */
  advance(): void;
  /** Reports a problem at the current token, or the error of the token itself, which comes first. */
  fail(problem: JsonProblem, span?: Span): undefined;
  span(): Span;
}

function createReader(file: SourceText, report: Report): Reader {
  const scanner = createScanner(file.text, false);
  const reader: Reader = {
    file,
    report,
    scanner,
    token: tokenKind.unknown,
    advance() {
      // As tokens, the scanner would copy white space letter by letter: it is half of a formatted text.
      scanner.setPosition(skipWhiteSpace(file.text, scanner.getPosition()));
      reader.token = scanner.scan();
    },
    fail(problem, span) {
      report("GW1021", span ?? reader.span(), {
        problem: findTokenProblem(scanner, reader.token) ?? problem,
      });
    },
    span() {
      const start = scanner.getTokenOffset();
      return spanOf(file, start, start + scanner.getTokenLength());
    },
  };
  return reader;
}

/** Returns the offset of the next character that is not white space of JSON. */
function skipWhiteSpace(text: string, offset: number): number {
  let at = offset;
  for (;;) {
    const character = text.charCodeAt(at);
    if (character !== 0x20 && character !== 0x0a && character !== 0x0d && character !== 0x09) return at;
    at++;
  }
}

function parseValue(reader: Reader, depth: number): DocumentNode | undefined {
  const { file, scanner } = reader;
  const start = scanner.getTokenOffset();
  if (scanner.getTokenError() !== scanError.none) return reader.fail("bad-word");
  switch (reader.token) {
    case tokenKind.openBrace:
      return withinLimit(reader, depth) ? parseMap(reader, start, depth) : undefined;
    case tokenKind.openBracket:
      return withinLimit(reader, depth) ? parseList(reader, start, depth) : undefined;
    case tokenKind.string: {
      const value = sharedText(scanner.getTokenValue());
      const node = createJsonString(file, value, start, start + scanner.getTokenLength());
      reader.advance();
      return node;
    }
    case tokenKind.number:
    case tokenKind.true:
    case tokenKind.false:
    case tokenKind.null: {
      const end = start + scanner.getTokenLength();
      reader.advance();
      return createJsonWord(file, start, end, reader.report);
    }
    default:
      if (reader.token !== tokenKind.unknown) return reader.fail("missing-value");
      return reader.fail(literalsElsewhere.has(scanner.getTokenValue()) ? "bad-literal" : "bad-word");
  }
}

/** The words of other languages for `true`, `false` and `null`. */
const literalsElsewhere: ReadonlySet<string> = new Set([
  ...["True", "TRUE", "False", "FALSE", "None", "nil", "NULL", "Null", "undefined"],
]);

/** Returns a node for a number, `true`, `false` or `null`. Reports a number beyond the range of doubles. */
export function createJsonWord(file: SourceText, start: number, end: number, report: Report): ScalarNode {
  const written = file.text.slice(start, end);
  const value = words.has(written) ? (words.get(written) ?? null) : readNumber(written);
  if (typeof value === "number" && !Number.isFinite(value))
    report("GW1020", spanOf(file, start, end), { written });
  return createPlainScalar(file, value, start, end);
}

const words: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function parseList(reader: Reader, start: number, depth: number): ListNode | undefined {
  const items: DocumentNode[] = [];
  reader.advance();
  while (reader.token !== tokenKind.closeBracket) {
    if (items.length > 0 && !passComma(reader, tokenKind.closeBracket, start)) return undefined;
    if (reader.token === tokenKind.end) return failUnclosed(reader, start);
    const item = parseValue(reader, depth + 1);
    if (item === undefined) return undefined;
    items.push(item);
  }
  const end = reader.scanner.getTokenOffset() + 1;
  reader.advance();
  return { kind: "list", items: items.slice(), span: spanOf(reader.file, start, end) };
}

function parseMap(reader: Reader, start: number, depth: number): MapNode | undefined {
  const entries = new Entries();
  reader.advance();
  for (let isFirst = true; reader.token !== tokenKind.closeBrace; isFirst = false) {
    if (!isFirst && !passComma(reader, tokenKind.closeBrace, start)) return undefined;
    const entry = parseEntry(reader, start, depth);
    if (entry === undefined) return undefined;
    entries.add(entry, reader.report);
  }
  const end = reader.scanner.getTokenOffset() + 1;
  reader.advance();
  return { kind: "map", entries: entries.all(), span: spanOf(reader.file, start, end) };
}

/** The entries of an object while it is read. */
class Entries {
  readonly #entries: MapEntry[] = [];
  /** Most objects are small: a linear search is then faster than an index. */
  #index: Map<string, Span> | undefined;

  /** Adds an entry, or reports that its key is a duplicate. */
  add(entry: MapEntry, report: Report): void {
    const { key, keySpan } = entry;
    const first = this.#index === undefined ? this.#find(key) : this.#index.get(key);
    if (first !== undefined) {
      report("GW1012", keySpan, { key }, { span: first, message: "The first one is here." });
      return;
    }
    this.#entries.push(entry);
    if (this.#index !== undefined) this.#index.set(key, keySpan);
    else if (this.#entries.length > 12)
      this.#index = new Map(this.#entries.map(({ key, keySpan }) => [key, keySpan]));
  }

  #find(key: string): Span | undefined {
    for (const entry of this.#entries) if (entry.key === key) return entry.keySpan;
    return undefined;
  }

  /**
   * Returns a copy, which has the exact length. An array that grew has room for sixteen more entries, and most objects
   * are small.
   */
  all(): readonly MapEntry[] {
    return this.#entries.slice();
  }
}

/** `opening`: the offset of the bracket that opens the object. */
function parseEntry(reader: Reader, opening: number, depth: number): MapEntry | undefined {
  const { scanner } = reader;
  if (reader.token === tokenKind.end) return failUnclosed(reader, opening);
  if (reader.token !== tokenKind.string) return reader.fail("missing-key");
  if (scanner.getTokenError() !== scanError.none) return reader.fail("missing-key");
  const start = scanner.getTokenOffset();
  const end = start + scanner.getTokenLength();
  const key = sharedText(scanner.getTokenValue());
  reader.advance();
  if (!isAt(reader, tokenKind.colon)) return reader.fail("missing-colon");
  reader.advance();
  const value = parseValue(reader, depth + 1);
  return value && { key, keySpan: spanOf(reader.file, start + 1, end - 1), value };
}

/** Compares the current token. An inline comparison would keep the type that TypeScript inferred before `advance`. */
function isAt(reader: Reader, kind: number): boolean {
  return reader.token === kind;
}

/** Consumes the comma between two entries. Reports a comma before the closing bracket as a separate error. */
function passComma(reader: Reader, closing: number, opening: number): boolean {
  if (reader.token === tokenKind.end) failUnclosed(reader, opening);
  if (reader.token !== tokenKind.comma) {
    if (reader.token !== tokenKind.end) reader.fail("missing-comma");
    return false;
  }
  const comma = reader.scanner.getTokenOffset();
  reader.advance();
  if (reader.token !== closing) return true;
  reader.fail("trailing-comma", spanOf(reader.file, comma, comma + 1));
  return false;
}

/** Reports the bracket at `opening`, which is not closed before the end of the file. */
function failUnclosed(reader: Reader, opening: number): undefined {
  return reader.fail("unclosed-bracket", spanOf(reader.file, opening, opening + 1));
}

function withinLimit(reader: Reader, depth: number): boolean {
  if (depth < maximumDepth) return true;
  reader.report("GW1007", reader.span(), { limit: maximumDepth });
  return false;
}

/** Returns whole numbers that a double would round as `bigint`. */
function readNumber(text: string): number | bigint {
  const value = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

function findTokenProblem(scanner: JSONScanner, token: number): JsonProblem | undefined {
  if (token === tokenKind.lineComment || token === tokenKind.blockComment) return "comment";
  switch (scanner.getTokenError()) {
    case scanError.unclosedString:
      return "unclosed-string";
    case scanError.unfinishedNumber:
      return "bad-number";
    case scanError.badCharacter:
      return "control-character";
    case scanError.badUnicode:
    case scanError.badEscape:
      return "bad-escape";
    case scanError.unclosedComment:
      return "comment";
    default:
      return undefined;
  }
}
