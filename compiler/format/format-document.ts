// Scripts laid out: one indentation a bracket, one blank around operators, none inside of brackets, at most one empty line.
// Lines, comments and texts stay as they are; what a script means cannot change, as both texts have to give the same tree. Of a
// document only scripts in literal blocks (`|`) are touched: in other texts of YAML and JSON a blank may be syntax.

import type { Edit } from "../diagnostics/diagnostic.ts";
import { parseMapping, parseQuery } from "../parse/mapping/parser.ts";
import { createSourceFile, type SourceFile, type SourceText, spanOf } from "../source/source.ts";
import type { FieldNode } from "../trees/api.ts";

/** The script laid out; the very text where it has mistakes, or where laying it out would change its meaning. */
export function formatScript(text: string, kind: "Mapping" | "Query"): string {
  const before = shapeOf(text, kind);
  if (before === undefined) return text;
  const after = layOut(text);
  return shapeOf(after, kind) === before ? after : text;
}

const indentUnit = "  ";

/** The tree as a text that says nothing of places; `undefined` where the script has mistakes. */
function shapeOf(text: string, kind: "Mapping" | "Query"): string | undefined {
  const source = createSourceFile("", text);
  let isWhole = true;
  const note = () => {
    isWhole = false;
  };
  const tree = kind === "Mapping" ? parseMapping(source, note) : parseQuery(source, note);
  if (tree === undefined || !isWhole) return undefined;
  return JSON.stringify(tree, (key, value: unknown) => {
    if (key === "span" || key === "source") return undefined;
    return typeof value === "bigint" ? `${value}n` : value;
  });
}

const tokenPattern =
  /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*?(?=\r?(?:\n|$))|\r?\n|[ \t]+|[A-Za-z0-9_]+|->|=>|==|!=|<=|>=|&&|\|\||[\s\S]/g;

/** Operators that stand between two values and nowhere else. */
const spacedOperators: ReadonlySet<string> = new Set([
  ...["->", "=>", "==", "!=", "<=", ">=", "&&", "||"],
  ...["+", "*", "/", "%", "|", "=", "<", ">"],
]);

const closers: ReadonlySet<string> = new Set([")", "]", "}"]);

const openers: ReadonlySet<string> = new Set(["(", "[", "{"]);

/** An open bracket and the line it stands on; those of one line indent once. */
interface Bracket {
  readonly text: string;
  readonly line: number;
}

function layOut(text: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = splitLines(text);
  const open: Bracket[] = [];
  const out: string[] = [];
  let before = "";
  for (const [index, tokens] of lines.entries()) {
    const words = tokens.filter((token) => !isBlank(token));
    const isGap = words.length === 0;
    if (isGap && out.at(-1) === "" && index < lines.length - 1) continue;
    const leading = words.findIndex((token) => !closers.has(token));
    const closing = leading === -1 ? words.length : leading;
    const left = open.slice(0, Math.max(0, open.length - closing));
    const depth = new Set(left.map(({ line }) => line)).size + (continues(words[0], before) ? 1 : 0);
    out.push(isGap ? "" : indentUnit.repeat(depth) + joinTokens(tokens, open, index));
    before = words.findLast((token) => !token.startsWith("#")) ?? before;
  }
  return out.join(newline);
}

/** The tokens of each line; a text of several lines belongs to the line it begins on. */
function splitLines(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [[]];
  for (const [token] of text.matchAll(tokenPattern)) {
    if (token === "\n" || token === "\r\n") lines.push([]);
    else lines.at(-1)?.push(token);
  }
  return lines;
}

function isBlank(token: string): boolean {
  return /^[ \t]/.test(token);
}

/** Whether a line goes on with the value of the line before it. */
function continues(first: string | undefined, before: string): boolean {
  if (first === undefined || openers.has(first)) return false;
  if (first === "." || spacedOperators.has(first)) return true;
  return (before === "." || spacedOperators.has(before)) && !closers.has(first);
}

/** One line without its indentation. Brackets that it opens and closes are noted. */
function joinTokens(tokens: readonly string[], open: Bracket[], line: number): string {
  let out = "";
  let previous: string | undefined;
  let hadBlank = false;
  let isPath = false;
  for (const token of tokens) {
    if (isBlank(token)) {
      hadBlank = true;
      continue;
    }
    const isOperator = spacedOperators.has(token) && !(token === "*" && previous === ".");
    if (previous !== undefined) {
      const around = { isOperator: isOperator || (spacedOperators.has(previous) && !isPath), hadBlank };
      out += gapBetween(previous, token, open.at(-1)?.text, around) ? " " : "";
    }
    out += token;
    isPath = token === "*" && previous === ".";
    if (openers.has(token)) open.push({ text: token, line });
    if (closers.has(token)) open.pop();
    previous = token;
    hadBlank = false;
  }
  return out;
}

function gapBetween(
  previous: string,
  token: string,
  bracket: string | undefined,
  { isOperator, hadBlank }: { readonly isOperator: boolean; readonly hadBlank: boolean },
): boolean {
  if (token.startsWith("#")) return true;
  if (previous === "(" || previous === "[" || token === ")" || token === "]" || token === ",") return false;
  if (previous === "," || isOperator) return true;
  if (bracket !== "[" && token === ":") return false;
  if (bracket !== "[" && previous === ":") return true;
  if (previous === "!") return false;
  if (token === "{" && /[\w)\]"]$/.test(previous)) return true;
  return hadBlank;
}

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
  const end = source.endInFile(first + content.length - 1);
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
