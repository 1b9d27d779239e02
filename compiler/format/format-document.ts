// The scripts of a document in, the edits that lay them out out. Only scripts in literal blocks (`|`) are touched: in other
// texts of YAML and JSON a blank may be syntax.

import type { Edit } from "../diagnostics/diagnostic.ts";
import { type SourceFile, type SourceText, spanOf } from "../source/source.ts";
import type { FieldNode } from "../trees/api.ts";
import { formatScript } from "./format-script.ts";

/** The edits for the scripts among the fields that stand in `path`, in the order of the file, none over another. */
export function formatFields(fields: Iterable<FieldNode>, path: string): readonly Edit[] {
  const edits = new Map<number, Edit>();
  for (const field of fields) {
    if (field.kind !== "Mapping" && field.kind !== "Query") continue;
    const source = field.kind === "Mapping" ? field.mapping.source : field.query.span.source;
    if (source.file.path !== path) continue;
    const edit = formatBlock(source, field.kind);
    if (edit !== undefined) edits.set(edit.span.start, edit);
  }
  return [...edits.values()].toSorted((one, other) => one.span.start - other.span.start);
}

/** The text of a file of mappings, laid out, with one line break at its end. */
export function formatMappingFile(text: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const formatted = formatScript(text, "Mapping");
  return formatted === "" ? "" : `${formatted.trimEnd()}${newline}`;
}

function formatBlock(source: SourceText, kind: "Mapping" | "Query"): Edit | undefined {
  const { file, text } = source;
  const content = text.trim();
  const first = text.length - text.trimStart().length;
  // The line that the content begins on belongs to it, with the blanks before it.
  const from = text.lastIndexOf("\n", first) + 1;
  const start = source.offsetInFile(from);
  const end = source.offsetInFile(first + content.length - 1) + 1;
  const lineStart = file.text.lastIndexOf("\n", start - 1) + 1;
  const indent = file.text.slice(lineStart, start);
  if (content === "" || !/^ +$/.test(indent) || !isLiteralBlock(file, lineStart)) return undefined;
  const newline = file.text.slice(start, end).includes("\r\n") ? "\r\n" : "\n";
  const written = text.slice(from, first + content.length);
  if (toBlock(written, indent, newline) !== withoutBlanks(file.text.slice(start, end))) return undefined;
  const formatted = toBlock(formatScript(written, kind), indent, newline);
  return formatted === file.text.slice(start, end)
    ? undefined
    : { span: spanOf(file, start, end), text: formatted };
}

/** Whether the lines above a line, empty ones apart, end with the header of a literal block. */
function isLiteralBlock(file: SourceFile, lineStart: number): boolean {
  const above = file.text.slice(Math.max(0, lineStart - 2000), lineStart).trimEnd();
  return /(?:^|[\s:-])\|[-+\d]*(?:[ \t]+#[^\n]*)?$/.test(above);
}

function toBlock(text: string, indent: string, newline: string): string {
  return text
    .split(/\r?\n/)
    .map((line, index) => (index === 0 || line === "" ? line : indent + line))
    .map((line) => (line.trim() === "" ? "" : line))
    .join(newline);
}

function withoutBlanks(text: string): string {
  return text.replace(/^[ \t]+(?=\r?$)/gm, "");
}
