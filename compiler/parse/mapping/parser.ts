// Text of the mapping language to trees: whole mappings, bare queries, and templates, which are strings with queries in them:
// `orders/${! this.id }`. Mistakes go to the report; the trees hold what could be read. Nothing is resolved, folded or typed
// here.

import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, spanOf, wholeSpan } from "../../source/source.ts";
import type {
  Expression,
  Mapping,
  Name,
  QueryPart,
  Statement,
  StringLiteral,
  Template,
  TemplatePart,
} from "../../trees/mapping.ts";
import { takeKeyword } from "./conditionals.ts";
import { checkDepth } from "./depth.ts";
import { readQuery } from "./expressions.ts";
import {
  fatal,
  mappingReference,
  type Parsed,
  ParseFailure,
  required,
  templateReference,
} from "./failure.ts";
import { readQuotedString } from "./literals.ts";
import { reportFailure } from "./mistakes.ts";
import { type Found, find, Reader } from "./reader.ts";
import { readStatement } from "./statements.ts";

/** A mapping as far as it could be read, and the mistakes in the order of the text. */
interface MappingResult {
  readonly mapping: Mapping;
  readonly found: readonly Found[];
}

/** Most mistakes of one text that are reported. */
const mistakeLimit = 100;

/** Reads a whole mapping. Of a statement list and a bare query, the one that gets further counts. */
function readMapping(source: SourceText): MappingResult {
  const reader = new Reader(source, readQuery);
  const from = readFrom(reader);
  if (from instanceof ParseFailure) {
    return { mapping: createMapping(source, "statements", []), found: [find(from, reader)] };
  }
  if (from !== undefined) return { mapping: { ...createMapping(source, "from", []), from }, found: [] };
  const list = new StatementList(source);
  const mistake = list.readFirst();
  const shorthand = mistake !== undefined && mistake.first.fatal === undefined ? readWholeQuery(source) : {};
  if (shorthand.query !== undefined) {
    return { mapping: createMapping(source, "shorthand", [assignRoot(shorthand.query)]), found: [] };
  }
  list.readRest(furtherOf(mistake, shorthand.found));
  return list.finish(source);
}

/** Reads a statement list, the only form an imported file may have. */
function readStatements(source: SourceText): MappingResult {
  const list = new StatementList(source);
  list.readRest(list.readFirst());
  return list.finish(source);
}

function createMapping(source: SourceText, form: Mapping["form"], statements: readonly Statement[]): Mapping {
  return { kind: "Mapping", source, form, statements, span: wholeSpan(source) };
}

/** `from "path"` and nothing else; undefined when the text does not start so. */
function readFrom(reader: Reader): Parsed<StringLiteral> | undefined {
  reader.skipFreeSpace();
  if (!takeKeyword(reader, "from") || !reader.sees('"')) return undefined;
  const path = readQuotedString(reader);
  if (path instanceof ParseFailure) return path;
  reader.skipFreeSpace();
  if (reader.atEnd) return path;
  const rest = reader.text.slice(reader.at);
  const mistake = { code: "GW2023", start: reader.at, end: reader.text.length, details: {} } as const;
  return fatal(0, `unexpected content after single root import: ${rest}`, mistake);
}

function assignRoot(query: Expression): Statement {
  return { kind: "Assign", target: [], rooted: true, value: query, span: query.span };
}

/** At one place the statement's failure counts, but for a query that is too deep and would parse otherwise. */
function furtherOf(statement: Found | undefined, query: Found | undefined): Found | undefined {
  if (statement === undefined || query === undefined) return statement;
  const reach = query.first.at - statement.first.at;
  return reach > 0 || (reach === 0 && query.first.mistake?.code === "GW2022") ? query : statement;
}

/** The statements of a mapping, read one by one; a mistake costs only the statement it is in. */
class StatementList {
  readonly #statements: Statement[] = [];
  readonly #found: Found[] = [];
  readonly #reader: Reader;
  readonly #place = { maps: new Map<string, Name>(), metaAllowed: true };
  #start = 0;

  constructor(source: SourceText) {
    this.#reader = new Reader(source, readQuery);
    this.#reader.skipFreeSpace();
  }

  /** Reads the first statement and its end; returns the mistake in it, which is not kept yet. */
  readFirst(): Found | undefined {
    return this.#readStatement();
  }

  /** Keeps the mistake in the first statement, if there was one, and reads on to the end of the text. */
  readRest(first: Found | undefined): void {
    let mistake = first;
    for (;;) {
      if (mistake !== undefined) {
        this.#found.push(mistake);
        if (this.#found.length >= mistakeLimit || !this.#recover(mistake)) return;
      }
      if (mistake === undefined && this.#reader.atEnd) return;
      mistake = this.#readStatement();
    }
  }

  /** The statements and mistakes so far. */
  finish(source: SourceText): MappingResult {
    const mapping = createMapping(source, "statements", this.#statements);
    const found = this.#found;
    return { mapping: found.length === 0 ? mapping : { ...mapping, isPartial: true }, found };
  }

  #readStatement(): Found | undefined {
    const reader = this.#reader;
    this.#start = reader.at;
    const statement = readStatement(reader, this.#place);
    if (statement instanceof ParseFailure) return find(statement, reader);
    const tooDeep = checkDepth(statement);
    if (tooDeep !== undefined) return { first: tooDeep, told: tooDeep };
    reader.skipBlanks();
    const rest = reader.text[reader.at];
    const unended = reader.atEnd ? undefined : reader.expectLineBreak();
    // What goes on behind its end is not the statement that was meant, but where only a comment does.
    if (unended === undefined || rest === "#") this.#statements.push(statement);
    if (unended !== undefined) return find(unended, reader);
    reader.skipFreeSpace();
    return undefined;
  }

  /** Moves to the next statement; false when there is none. */
  #recover({ told }: Found): boolean {
    const from = Math.max(this.#start, told.mistake?.end ?? told.at);
    const next = findNextStatement(this.#reader.text, this.#start, from);
    if (next === undefined) return false;
    this.#reader.at = next;
    return true;
  }
}

const segment = /[A-Za-z0-9_]+|"[^"\n]*"/;

/** What statements start with, and what people write in the belief that statements start so. */
const statementStart = new RegExp(
  [
    /(?:let|map|meta|import|if|const|var)[ \t]/,
    /root\b/,
    new RegExp(`(?:${segment.source})(?:\\.(?:${segment.source}))*[ \\t]*[-+*/%|]?=(?![=>])`),
    /[$@][A-Za-z0-9_]+[ \t]*=(?![=>])/,
    /\/\//,
  ]
    .map(({ source }) => `^(?:${source})`)
    .join("|"),
);

/**
 * The start of the first line after `from` that looks like a statement and is indented no more than the
 * one that failed at `failed`; undefined when there is none. Lines inside an unclosed block or literal
 * are indented more, so one mistake does not set off others.
 */
function findNextStatement(text: string, failed: number, from: number): number | undefined {
  const allowed = indentation(text, text.lastIndexOf("\n", failed - 1) + 1);
  for (let lineBreak = text.indexOf("\n", from); lineBreak !== -1; ) {
    const lineStart = lineBreak + 1;
    const lineEnd = text.indexOf("\n", lineStart);
    const indented = indentation(text, lineStart);
    const start = lineStart + indented;
    const line = text.slice(start, lineEnd === -1 ? text.length : lineEnd);
    if (indented <= allowed && statementStart.test(line)) return start;
    lineBreak = lineEnd;
  }
  return undefined;
}

function indentation(text: string, lineStart: number): number {
  let count = 0;
  while (text[lineStart + count] === " " || text[lineStart + count] === "\t") count++;
  return count;
}

/**
 * Parses a whole mapping: `from "path"`, statements, or a bare query meaning `root = query`. After a
 * mistake it goes on with the next statement, so one run reports several; the tree then holds the
 * statements that could be read, and is undefined when there are none.
 */
export function parseMapping(source: SourceText, report: Report): Mapping | undefined {
  return reportMapping(source, readMapping(source), report);
}

/** Parses a file that `import` or `from` names: a statement list, and neither of the other two forms. */
export function parseImportedMapping(source: SourceText, report: Report): Mapping | undefined {
  return reportMapping(source, readStatements(source), report);
}

/** Parses a query that stands alone, such as the check of a `switch` case. */
export function parseQuery(source: SourceText, report: Report): Expression | undefined {
  const { query, found } = readWholeQuery(source);
  if (found === undefined) return query;
  reportFailure(source, found.told, mappingReference(source, found.first), report);
  return undefined;
}

/** Parses a string with `${! query }` parts. */
export function parseTemplate(source: SourceText, report: Report): Template | undefined {
  const { parts, found } = readTemplate(source);
  if (found === undefined) return { kind: "Template", source, parts, span: wholeSpan(source) };
  reportFailure(source, found.told, templateReference(source, found.first), report);
  return undefined;
}

/** The first syntax error of a mapping as the reference words it: `line 1 char 8: expected whitespace`. */
export function findMappingError(source: SourceText): string | undefined {
  return word(source, readMapping(source).found[0], mappingReference);
}

/** The first syntax error of an imported file as the reference words it. */
export function findImportedMappingError(source: SourceText): string | undefined {
  return word(source, readStatements(source).found[0], mappingReference);
}

/** The syntax error of a bare query as the reference words it. */
export function findQueryError(source: SourceText): string | undefined {
  return word(source, readWholeQuery(source).found, mappingReference);
}

/** The syntax error of a template as the reference words it: `char 22: required: expected end quote`. */
export function findTemplateError(source: SourceText): string | undefined {
  return word(source, readTemplate(source).found, templateReference);
}

function reportMapping(
  source: SourceText,
  { mapping, found }: MappingResult,
  report: Report,
): Mapping | undefined {
  for (const { told, first } of found) {
    reportFailure(source, told, mappingReference(source, first), report);
  }
  const isEmpty = mapping.from === undefined && mapping.statements.length === 0;
  return isEmpty && found.length > 0 ? undefined : mapping;
}

function word(
  source: SourceText,
  found: Found | undefined,
  reference: (source: SourceText, failure: ParseFailure) => string,
): string | undefined {
  return found === undefined ? undefined : reference(source, found.first);
}

/** Reads a template to its end, or up to its first mistake. */
function readTemplate(source: SourceText): { parts: readonly TemplatePart[]; found?: Found } {
  const reader = new Reader(source, readQuery);
  const parts: TemplatePart[] = [];
  let text = "";
  let textStart = 0;
  const endText = (): void => {
    if (text === "") return;
    parts.push({ kind: "TextPart", text, span: spanOf(source, textStart, reader.at) });
    text = "";
  };
  while (!reader.atEnd) {
    if (reader.sees("${!")) {
      endText();
      const part = readQueryPart(reader);
      if (part instanceof ParseFailure) return { parts, found: find(part, reader) };
      parts.push(part);
      textStart = reader.at;
      continue;
    }
    const piece = readText(reader);
    if (piece instanceof ParseFailure) return { parts, found: find(piece, reader) };
    text += piece;
  }
  endText();
  return { parts };
}

/** `${! query }` */
function readQueryPart(reader: Reader): Parsed<QueryPart> {
  const start = reader.at;
  reader.take("${!");
  const query = reader.query();
  if (query instanceof ParseFailure) return required(query);
  reader.skipBlanks();
  const unclosed = reader.expect("}", "end of expression");
  if (unclosed !== undefined) return required(unclosed);
  return checkDepth(query) ?? { kind: "QueryPart", query, span: reader.spanFrom(start) };
}

/** Text up to the next dollar sign, a dollar sign that means nothing, or `${{!x}}` decoded to `${!x}`. */
function readText(reader: Reader): Parsed<string> {
  const start = reader.at;
  if (reader.take("${{!")) {
    const end = reader.text.indexOf("}}", reader.at);
    if (end === -1) {
      const mistake = { code: "GW2025", start, end: reader.at, details: {} } as const;
      return new ParseFailure(reader.at, ["end of escaped expression"], "required", mistake);
    }
    const escaped = reader.text.slice(reader.at, end);
    reader.at = end + 2;
    return `\${!${escaped}}`;
  }
  const next = reader.text.indexOf("$", start + 1);
  reader.at = next === -1 ? reader.text.length : next;
  return reader.text.slice(start, reader.at);
}

/** Reads a text that holds one query and nothing else but free space. */
function readWholeQuery(source: SourceText): { query?: Expression; found?: Found } {
  const reader = new Reader(source, readQuery);
  reader.skipFreeSpace();
  const query = readToEnd(reader);
  return query instanceof ParseFailure ? { found: find(query, reader) } : { query };
}

function readToEnd(reader: Reader): Parsed<Expression> {
  const start = reader.at;
  const query = reader.query();
  if (query instanceof ParseFailure) return query;
  const end = reader.at;
  reader.skipFreeSpace();
  return reader.atEnd ? (checkDepth(query) ?? query) : textAfterQuery(reader, start, end);
}

function textAfterQuery(reader: Reader, start: number, end: number): ParseFailure {
  const characters = [...reader.text.slice(start, end)];
  const beginning = characters.length > 12 ? `${characters.slice(0, 12).join("")}...` : characters.join("");
  const expected = `the mapping to end here as the beginning is shorthand for \`root = ${beginning}\`, but this shorthand form cannot be followed with more assignments`;
  return new ParseFailure(reader.at, [expected], undefined, undefined, ["end of query"]);
}
