// The records of a message: how `RS` splits its text.

import { RE2JS } from "re2js";
import { spend } from "../jq/run.ts";
import { type CsvMode, readCsv } from "./csv.ts";
import { patternOf, searchIn } from "./patterns.ts";
import { isOneCharacter } from "./values.ts";

/** A record, with what ended it. */
export interface InputRecord {
  readonly text: string;
  /** The separator, where it can differ from `RS`. */
  readonly terminator: string | undefined;
  /** The fields, if the mode splits them. */
  readonly fields?: string[];
}

/** Returns the records of a text in turn. `undefined` at its end. */
export type NextRecord = () => InputRecord | undefined;

/** Reads the records of a text by `RS`. */
export function recordsOf(text: string, separator: string): NextRecord {
  if (separator === "\n") return byLine(text);
  if (separator === "") return byParagraph(text);
  return separator.length === 1 ? byByte(text, separator) : byPattern(text, separator);
}

/** Reads the records of comma-separated values. `header`: receives the names of the fields. */
export function csvRecordsOf(
  text: string,
  mode: CsvMode,
  header: (names: readonly string[]) => void,
): NextRecord {
  let at = text.startsWith("\xef\xbb\xbf") ? 3 : 0;
  let isFirst = true;
  function read(): InputRecord | undefined {
    const row = readCsv(text, at, mode);
    if (row === undefined) return undefined;
    spend(row.fields.length);
    at = row.end;
    if (isFirst && mode.hasHeader) {
      isFirst = false;
      header(row.fields);
      return read();
    }
    isFirst = false;
    return { text: row.text, terminator: undefined, fields: row.fields };
  }
  return read;
}

function byLine(text: string): NextRecord {
  const read = byByte(text, "\n");
  return () => {
    const found = read();
    return found?.text.endsWith("\r") === true ? { ...found, text: found.text.slice(0, -1) } : found;
  };
}

function byByte(text: string, separator: string): NextRecord {
  let at = 0;
  return () => {
    if (at >= text.length) return undefined;
    const found = text.indexOf(separator, at);
    const end = found < 0 ? text.length : found;
    const record = text.slice(at, end);
    at = end + 1;
    return { text: record, terminator: undefined };
  };
}

function byPattern(text: string, separator: string): NextRecord {
  const matcher = searchIn(patternOf(isOneCharacter(separator) ? RE2JS.quote(separator) : separator), text);
  let at = 0;
  return () => {
    if (at >= text.length) return undefined;
    const start = at;
    // As in the reference engine, the rest is one record if the pattern matches nothing.
    const isFound = matcher.find() && matcher.start() < matcher.end();
    at = isFound ? matcher.end() : text.length;
    const end = isFound ? matcher.start() : text.length;
    return { text: text.slice(start, end), terminator: text.slice(end, at) };
  };
}

/** Records are separated by empty lines. */
function byParagraph(text: string): NextRecord {
  let from = 0;
  const skip = (at: number): number => {
    let end = at;
    while (text.charAt(end) === "\n" || text.charAt(end) === "\r") end++;
    return end;
  };
  return () => {
    const start = skip(from);
    if (start >= text.length) return undefined;
    for (let end = text.indexOf("\n", start); end >= 0; end = text.indexOf("\n", end + 1)) {
      const isEmptyLine = text.startsWith("\n\n", end);
      if (!isEmptyLine && !text.startsWith("\n\r\n", end)) continue;
      const next = skip(end + (isEmptyLine ? 2 : 3));
      from = next;
      return { text: withoutReturn(text.slice(start, end)), terminator: text.slice(end, next) };
    }
    const last = text.slice(start);
    const record = withoutReturn(last.endsWith("\n") ? last.slice(0, -1) : last);
    // As in the reference engine, which counts from before the empty lines.
    const terminator = text.slice(from + record.length);
    from = text.length;
    return { text: record, terminator };
  };
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
