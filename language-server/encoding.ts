// Converts the positions that an editor sends and receives. Internally, positions count UTF-16 code units of a line,
// which is the protocol's default; an editor that prefers UTF-8 or UTF-32 counts bytes or characters.

import { readFileSync } from "node:fs";
import type { Position, PositionEncodingKind } from "vscode-languageserver";
import type { TextDocument, TextDocumentContentChangeEvent } from "vscode-languageserver-textdocument";
import { pathOfUri } from "./workspace/paths.ts";
import type { OpenTexts } from "./workspace/texts.ts";

/** The encodings that editors and the server may agree on. */
type Encoding = "utf-8" | "utf-16" | "utf-32";

/** Converts positions of an editor to those of the server, and back. */
export interface PositionEncoding {
  readonly kind: Encoding;
  /** Converts parameters of the editor about the document `uri`. */
  toOwn<T>(value: T, uri: string): T;
  /** Converts a response for the editor; positions without a URI of their own are in the document `uri`. */
  toEditor<T>(value: T, uri: string): T;
}

/** Returns the encoding that the editor prefers among those that the server supports; UTF-16 if it names none. */
export function agreeOnEncoding(
  offered: readonly PositionEncodingKind[] | undefined,
  texts: () => OpenTexts,
): PositionEncoding {
  const kind = offered?.find((each): each is Encoding => each in unitsOf) ?? "utf-16";
  if (kind === "utf-16") return { kind, toOwn: (value) => value, toEditor: (value) => value };
  const lines = (uri: string) => lineReader(uri, texts());
  return {
    kind,
    toOwn: (value, uri) => convert(value, uri, lines, (line, units) => unitsBefore(line, units, kind)),
    toEditor: (value, uri) => convert(value, uri, lines, (line, units) => length(line.slice(0, units), kind)),
  };
}

/** Converts a change of an editor, whose range refers to the text before the change. */
export function ownChange(
  change: TextDocumentContentChangeEvent,
  document: TextDocument,
  encoding: PositionEncoding,
): TextDocumentContentChangeEvent {
  return "range" in change ? { ...change, range: encoding.toOwn(change.range, document.uri) } : change;
}

/** The length of one character, by its code point. */
const unitsOf: Readonly<Record<Encoding, (codePoint: number) => number>> = {
  "utf-8": (point) => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4),
  "utf-16": (point) => (point < 0x10000 ? 1 : 2),
  "utf-32": () => 1,
};

function length(text: string, kind: Encoding): number {
  let units = 0;
  for (const character of text) units += unitsOf[kind](character.codePointAt(0) ?? 0);
  return units;
}

/**
 * Returns the number of UTF-16 code units of a line before a position; a position within a character counts as its
 * beginning.
 */
function unitsBefore(line: string, position: number, kind: Encoding): number {
  let units = 0;
  let own = 0;
  for (const character of line) {
    units += unitsOf[kind](character.codePointAt(0) ?? 0);
    if (units > position) break;
    own += character.length;
  }
  return own;
}

type LineReader = (line: number) => string;

/** Returns a reader of the lines of a document: of its open text, or of the file. */
function lineReader(uri: string, texts: OpenTexts): LineReader {
  const path = pathOfUri(uri);
  const open = texts.find(path);
  if (open !== undefined)
    return (line) =>
      open
        .getText({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } })
        .replace(/\r?\n$/, "");
  let lines: readonly string[] | undefined;
  return (line) => {
    lines ??= readLines(path);
    return lines[line] ?? "";
  };
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split(/\r?\n/);
  } catch {
    return []; // the file cannot be read, as its diagnostic says: all positions are the start of a line
  }
}

/** Returns a copy of a value in which each position is converted with `units`, according to its line. */
function convert<T>(
  value: T,
  uri: string,
  linesOf: (uri: string) => LineReader,
  units: (line: string, character: number) => number,
): T {
  const readers = new Map<string, LineReader>();
  const lineIn = (address: string, line: number) => {
    const reader = readers.get(address) ?? linesOf(address);
    readers.set(address, reader);
    return reader(line);
  };
  const at = ({ line, character }: Position, address: string): Position => ({
    line,
    character: units(lineIn(address, line), character),
  });
  const tokens = (data: readonly number[], address: string): readonly number[] => {
    const out: number[] = [];
    let line = 0;
    let start = 0;
    let before = 0;
    for (let index = 0; index + 4 < data.length; index += 5) {
      const [lines = 0, units = 0, size = 0, ...kind] = data.slice(index, index + 5);
      if (lines > 0) start = before = 0;
      line += lines;
      start += units;
      const from = at({ line, character: start }, address).character;
      out.push(
        lines,
        from - before,
        at({ line, character: start + size }, address).character - from,
        ...kind,
      );
      before = from;
    }
    return out;
  };
  const visit = (each: unknown, address: string): unknown => {
    if (Array.isArray(each)) return each.map((item) => visit(item, address));
    if (typeof each !== "object" || each === null) return each;
    if (isPosition(each)) return at(each, address);
    const own = "uri" in each && typeof each.uri === "string" ? each.uri : address;
    return Object.fromEntries(
      Object.entries(each).map(([key, part]): [string, unknown] => {
        if (key === "data" && Array.isArray(part)) return [key, tokens(part, own)];
        if (key === "fromRanges" && "from" in each) return [key, visit(part, uriOf(each.from) ?? own)];
        if (key === "changes") return [key, ofDocuments(part, visit)];
        return [key, visit(part, own)];
      }),
    );
  };
  return visit(value, uri) as T;
}

/** Converts the edits of a workspace, which are grouped by the URI of their document. */
function ofDocuments(changes: unknown, visit: (part: unknown, uri: string) => unknown): unknown {
  return Object.fromEntries(Object.entries(changes ?? {}).map(([uri, edits]) => [uri, visit(edits, uri)]));
}

function uriOf(item: unknown): string | undefined {
  return typeof item === "object" && item !== null && "uri" in item && typeof item.uri === "string"
    ? item.uri
    : undefined;
}

function isPosition(value: object): value is Position {
  return (
    "line" in value &&
    "character" in value &&
    typeof value.line === "number" &&
    typeof value.character === "number"
  );
}
