// Removes entries of objects and items of lists from their file, moves them, and adds them. Works on the text, because
// trees do not contain commas, dashes and indentation. Returns no fix if a comment or anything unusual is in the way.

import { isJson, type SourceFile, type Span, spanOf } from "../../source/source.ts";
import type { Edit, Fix } from "../diagnostic.ts";
import { findFileRange } from "./file-range.ts";

/**
 * Removes the entry of an object from its file. `span`: its key, or its value if that is on the line of the key. Does
 * not remove the only entry of an object.
 */
export function removeEntry(span: Span, name: string): Fix | undefined {
  const entry = findEntry(span);
  if (entry === undefined || (entry.form === "block" && !hasSibling(entry))) return undefined;
  const { file, start, end } = entry;
  const removed = removePart(spanOf(file, start, end), end, "entry");
  return removed && { title: `Remove \`${name}\`.`, isSafe: false, edits: [removed] };
}

/** The destination of an entry: into the value of an entry, or next to an entry. Spans are those of keys. */
export type EntryDestination =
  | { readonly into: Span; readonly last: Span | undefined }
  | { readonly beside: Span };

/** Moves the entry with the key `span` to another place in its file. `title` names the place. */
export function moveEntry(span: Span, title: string, place: EntryDestination): Fix | undefined {
  const entry = findEntry(span);
  const target = findEntry("into" in place ? place.into : place.beside);
  if (entry === undefined || target === undefined || target.file !== entry.file) return undefined;
  const { file, start, end, form } = entry;
  const removed =
    form === "flow" || hasSibling(entry) ? removePart(spanOf(file, start, end), end, "entry") : undefined;
  const added =
    "beside" in place
      ? putBefore(entry, target)
      : putInto(entry, target, place.last && findEntry(place.last));
  if (removed === undefined || added === undefined || overlaps(removed, added)) return undefined;
  return { title, isSafe: false, edits: [removed, { ...added, language: "document" }] };
}

function overlaps(removed: Edit, { span: { start } }: Edit): boolean {
  return start > removed.span.start && start < removed.span.end;
}

/** Inserts an entry before another one, which may be that of the object around it. */
function putBefore(entry: Entry, { file, start, form, isFirst, column }: Entry): Edit | undefined {
  const text = form === entry.form ? textAt(entry, column) : undefined;
  if (text === undefined) return undefined;
  const gap = isFirst
    ? lineBreakOf(file) + file.text.slice(start - column, start).replace(/[^\t]/g, " ")
    : " ";
  return { span: spanOf(file, start, start), text: `${text}${form === "flow" ? "," : ""}${gap}` };
}

/** Inserts an entry into the value of another one, after its `last` entry. */
function putInto(entry: Entry, target: Entry, last: Entry | undefined): Edit | undefined {
  const { file } = target;
  if (last !== undefined) {
    const text = last.form === entry.form ? textAt(entry, last.column) : undefined;
    if (text === undefined) return undefined;
    const comma = last.form === "flow" ? "," : "";
    const gap = last.isFirst ? lineBreakOf(file) + " ".repeat(last.column) : " ";
    const end = last.start + file.text.slice(last.start, last.end).trimEnd().length;
    return { span: spanOf(file, end, end), text: `${comma}${gap}${text}` };
  }
  const written = file.text.slice(target.start, target.end).trimEnd();
  if (entry.form === "flow") {
    const at = /\{\s*\}$/.test(written) ? target.start + written.lastIndexOf("{") + 1 : undefined;
    const text = at === undefined ? undefined : textAt(entry, entry.column);
    return at === undefined || text === undefined ? undefined : { span: spanOf(file, at, at), text };
  }
  const column = target.column + 2;
  const text = target.form === "block" && written.endsWith(":") ? textAt(entry, column) : undefined;
  if (text === undefined) return undefined;
  const end = target.start + written.length;
  return { span: spanOf(file, end, end), text: lineBreakOf(file) + " ".repeat(column) + text };
}

/** Returns the text of an entry with its lines moved to a column; `undefined` if a line is indented less. */
function textAt({ file, start, end, column }: Entry, to: number): string | undefined {
  const [first = "", ...lines] = file.text.slice(start, end).trimEnd().split("\n");
  const margin = " ".repeat(column);
  if (lines.some((line) => line.trim() !== "" && !line.startsWith(margin))) return undefined;
  return [first, ...lines.map((line) => line.replace(margin, " ".repeat(to)))].join("\n");
}

function lineBreakOf({ text }: SourceFile): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Adds an entry before the one with the key `span`, or with the value `span` on the line of the key. */
export function addEntry(span: Span, name: string, value: string | number | boolean): Fix | undefined {
  const entry = findEntry(span);
  if (entry === undefined) return undefined;
  const { file, start, form, isFirst, column } = entry;
  const [key, text] = isJson(file) ? [JSON.stringify(name), JSON.stringify(value)] : [name, String(value)];
  const newline = `${lineBreakOf(file)}${file.text.slice(start - column, start).replace(/[^\t]/g, " ")}`;
  const gap = isFirst ? newline : " ";
  const added = `${key}: ${text}${form === "flow" ? "," : ""}${gap}`;
  return {
    title: `Add \`${name}: ${value}\`.`,
    isSafe: false,
    edits: [{ span: spanOf(file, start, start), text: added, language: "document" }],
  };
}

/** An entry in its file: from the first character of its key to the end of its value. */
interface Entry {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
  readonly form: "flow" | "block";
  /** Whether only indentation and dashes precede it on its line. */
  readonly isFirst: boolean;
  /** The column of its key. */
  readonly column: number;
}

/** The key of an entry with its colon, up to a value on the same line. */
const keyBefore = /(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[\w.$/-]+)[ \t]*:[ \t]*["']?$/;

function findEntry(span: Span): Entry | undefined {
  const range = findFileRange(span);
  if (range === undefined) return undefined;
  const { file, start: from, end: until } = range;
  const { text } = file;
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  // A compact document is on one line.
  const ledStart = Math.max(lineStart, from - reach);
  const led = text.slice(ledStart, from);
  const isKey = /^["']?[ \t]*:(?:\s|$|["'{[])/.test(text.slice(until, until + 50));
  const key = isKey ? /["']?$/.exec(led) : keyBefore.exec(led);
  if (key === null) return undefined;
  const before = led.slice(0, key.index);
  const start = ledStart + key.index;
  const isFirst = ledStart === lineStart && /^[ \t]*(?:-[ \t]+)*$/.test(before);
  if (!isFirst && !/[{,][ \t]*$/.test(before)) return undefined;
  const above = text.slice(Math.max(0, lineStart - reach), lineStart).trimEnd();
  const isFlow = !isFirst || above.endsWith("{") || isJson(file);
  // The lines around it do not show whether a line belongs to brackets further above.
  if (!isFlow && above.endsWith(",")) return undefined;
  const column = start - lineStart;
  const colon = isKey ? text.indexOf(":", until) + 1 : from;
  const end = isFlow ? endInFlow(text, colon) : endInBlock(text, colon, column);
  if (end === undefined) return undefined;
  const value = text.slice(colon, end);
  // A value with an anchor is also used at other places.
  if (/^\s*&/.test(value)) return undefined;
  return { file, start, end, form: isFlow ? "flow" : "block", isFirst, column };
}

/** The number of characters around a place that are examined: hand-written code is shorter. */
const reach = 5000;

/** Returns the end of an entry's value in brackets: the comma or bracket after it. */
function endInFlow(text: string, from: number): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text
    .slice(from, from + reach)
    .matchAll(/"(?:[^"\\]|\\.)*"|(?<=[\s,[{:])'(?:[^']|'')*'|[{}[\],]|(?<=\s)#/g)) {
    if (token === "#") return undefined;
    if (depth === 0 && /^[\]},]$/.test(token)) return from + text.slice(from, from + index).trimEnd().length;
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
  }
  return undefined;
}

/** Returns the end of an entry's value in a block: the end of its line and of the more deeply indented lines below. */
function endInBlock(text: string, from: number, column: number): number {
  let end = lineEnd(text, from);
  const isOpen = /^\s*$/.test(text.slice(from, end));
  for (let at = end + 1; at < text.length; at = lineEnd(text, at) + 1) {
    const line = text.slice(at, lineEnd(text, at));
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    const isItem = isOpen && indent === column && /^- |^-$/.test(line.slice(indent));
    if (line.trim() === "") continue;
    if (indent <= column && !isItem) break;
    end = at + line.length;
  }
  return end;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** Whether another entry of the same block precedes or follows. */
function hasSibling({ file: { text }, start, end, column }: Entry): boolean {
  const isLed = /-/.test(text.slice(start - column, start));
  const above = isLed
    ? []
    : text
        .slice(Math.max(0, start - column - reach), start - column)
        .split("\n")
        .slice(1)
        .reverse();
  const below = text
    .slice(end, end + reach)
    .split("\n")
    .slice(1);
  return [above, below].some((lines) => {
    for (const line of lines) {
      const indent = /^ *(?:- +)*/.exec(line)?.[0].length ?? 0;
      const spaces = /^ */.exec(line)?.[0].length ?? 0;
      // Items may have the same indentation as the key of their list.
      const isItem = spaces === column && /^- /.test(line.slice(column));
      if (line.trim() === "" || /^\s*#/.test(line) || spaces > column || isItem) continue;
      return (lines === above ? indent : spaces) === column;
    }
    return false;
  });
}

/**
 * Removes the part from `from` to `until`. Does not remove the only entry of an object in brackets, or a part that
 * shares its lines with others.
 */
export function removePart(from: Span, until: number, kind: "item" | "entry"): Edit | undefined {
  const part = partOf(from, until, kind === "item");
  const next = /^\s*([,\]}])/.exec(part.after)?.[1];
  if (next === ",") return removeFirst(part);
  return next === undefined ? removeLines(part) : removeLast(part);
}

/** An item of a list or an entry of an object: its text, and the texts before and after it. */
interface Part {
  readonly span: Span;
  readonly isItem: boolean;
  readonly before: string;
  readonly after: string;
}

/** Returns the part. Spans of keys may exclude their quotes, and spans of blocks may include line breaks. */
function partOf(from: Span, until: number, isItem: boolean): Part {
  const { text } = from.source;
  const start = text[from.start - 1] === '"' && text[from.start] !== '"' ? from.start - 1 : from.start;
  const end = start + text.slice(start, until).trimEnd().length;
  const span = spanOf(from.source, start, end);
  return {
    span,
    isItem,
    before: text.slice(Math.max(0, start - reach), start),
    after: text.slice(end, end + reach),
  };
}

/** Removes a part in brackets that others follow, up to the next one. */
function removeFirst({ span, after }: Part): Edit | undefined {
  const gap = /^\s*,\s*(?=[^\s#])/.exec(after)?.[0];
  return gap === undefined ? undefined : cut(span, span.start, span.end + gap.length);
}

/** Removes the last part in brackets with the comma before it; `undefined` if there is no comma. */
function removeLast({ span, before }: Part): Edit | undefined {
  const gap = /,\s*$/.exec(before)?.[0];
  return gap === undefined ? undefined : cut(span, span.start - gap.length, span.end);
}

/** Removes the lines of a part in a block if nothing else is on them. A first key leaves its dash to the next key. */
function removeLines({ span, isItem, before, after }: Part): Edit | undefined {
  const led = before.slice(before.lastIndexOf("\n") + 1);
  const rest = /^[ \t]*(?:\r?\n|$)/.exec(after)?.[0];
  if (rest === undefined || !/^ *(?:- +)?$/.test(led)) return undefined;
  const end = span.end + rest.length;
  if (isItem === led.includes("-")) return cut(span, span.start - led.length, end);
  const indent = /^ *(?=[^\s#])/.exec(after.slice(rest.length))?.[0].length;
  return !isItem && indent === led.length ? cut(span, span.start, end + indent) : undefined;
}

function cut({ source }: Span, start: number, end: number): Edit {
  return { span: spanOf(source, start, end), text: "" };
}
