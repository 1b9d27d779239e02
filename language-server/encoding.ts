// Positions in what an editor sends and gets. Inside they are UTF-16 units of a line, as the protocol counts when nothing else is
// agreed; an editor that names UTF-8 or UTF-32 first counts bytes or characters.

import { readFileSync } from "node:fs";
import type { Position, PositionEncodingKind } from "vscode-languageserver";
import type { TextDocument, TextDocumentContentChangeEvent } from "vscode-languageserver-textdocument";
import { pathOfUri } from "./workspace/paths.ts";
import type { OpenTexts } from "./workspace/texts.ts";

/** What editors and the server may agree on. */
type Encoding = "utf-8" | "utf-16" | "utf-32";

/** Positions of an editor to those of the server, and back. */
export interface PositionEncoding {
  readonly kind: Encoding;
  /** Parameters of the editor, about the document `uri`. */
  toOwn<T>(value: T, uri: string): T;
  /** An answer to the editor; places without an address of their own are in the document `uri`. */
  toEditor<T>(value: T, uri: string): T;
}

/** The encoding that an editor likes best among those that the server knows; UTF-16 where it names none. */
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

/** A change of an editor, whose range is one of the text as it is before. */
export function ownChange(
  change: TextDocumentContentChangeEvent,
  document: TextDocument,
  encoding: PositionEncoding,
): TextDocumentContentChangeEvent {
  return "range" in change ? { ...change, range: encoding.toOwn(change.range, document.uri) } : change;
}

/** The length of one character by its code point. */
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

/** How many UTF-16 units of a line stand before a position; one within a character is that before it. */
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

/** The lines of a document: of its open text, or of the file. */
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
    return []; // the file is gone or cannot be read, as its diagnostic says: all positions are the start of a line
  }
}

/** A copy of a value in which `units` counts each position, in the line that it is in, anew. */
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

/** The edits of a workspace, by the address of their document. */
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
