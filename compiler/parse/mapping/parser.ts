// Parses the mapping language: whole mappings, bare queries, and templates, which are strings with queries in them,
// such as `orders/${! this.id }`. Reports mistakes; the trees contain what could be read. Does not resolve names, fold
// constants or infer types.

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

/** The part of a mapping that could be read, and the mistakes in text order. */
interface MappingResult {
  readonly mapping: Mapping;
  readonly found: readonly Found[];
}

/** The maximum number of mistakes that are reported for one text. */
const mistakeLimit = 100;

/** Reads a whole mapping: as a statement list or as a bare query, whichever gets further. */
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

/** Reads a statement list, the only form that an imported file may have. */
function readStatements(source: SourceText): MappingResult {
  const list = new StatementList(source);
  list.readRest(list.readFirst());
  return list.finish(source);
}

function createMapping(source: SourceText, form: Mapping["form"], statements: readonly Statement[]): Mapping {
  return { kind: "Mapping", source, form, statements, span: wholeSpan(source) };
}

/** Reads `from "path"` without anything else; `undefined` if the text does not start with it. */
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

/**
 * Prefers the statement's failure at the same place, except if the query is only too deep and would parse otherwise.
 */
function furtherOf(statement: Found | undefined, query: Found | undefined): Found | undefined {
  if (statement === undefined || query === undefined) return statement;
  const reach = query.first.at - statement.first.at;
  return reach > 0 || (reach === 0 && query.first.mistake?.code === "GW2022") ? query : statement;
}

/** Reads the statements of a mapping one by one. A mistake discards only the statement that contains it. */
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

  /** Reads the first statement and its end. Returns the mistake in it, which is not recorded yet. */
  readFirst(): Found | undefined {
    return this.#readStatement();
  }

  /** Records the mistake in the first statement, if there is one, and reads to the end of the text. */
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

  /** Returns the statements and mistakes so far. */
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
    if (tooDeep !== undefined) return { first: tooDeep, nearest: tooDeep };
    reader.skipBlanks();
    const rest = reader.text[reader.at];
    const unended = reader.atEnd ? undefined : reader.expectLineBreak();
    // If other text than a comment follows the statement, it is not the statement that was meant.
    if (unended === undefined || rest === "#") this.#statements.push(statement);
    if (unended !== undefined) return find(unended, reader);
    reader.skipFreeSpace();
    return undefined;
  }

  /** Moves to the next statement; returns false if there is none. */
  #recover({ nearest }: Found): boolean {
    const from = Math.max(this.#start, nearest.mistake?.end ?? nearest.at);
    const next = findNextStatement(this.#reader.text, this.#start, from);
    if (next === undefined) return false;
    this.#reader.at = next;
    return true;
  }
}

const segment = /[A-Za-z0-9_]+|"[^"\n]*"/;

/** The beginnings of statements, and the beginnings that people mistake for them. */
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
 * Returns the start of the first line after `from` that looks like a statement and is not indented more than the
 * statement that failed at `failed`; `undefined` if there is none. Lines inside an unclosed block or literal are
 * indented more, so one mistake does not cause others.
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
 * Parses a whole mapping: `from "path"`, statements, or a bare query, which means `root = query`. Continues with the
 * next statement after a mistake, so that one run reports several. The tree contains the statements that could be read;
 * `undefined` if there are none.
 */
export function parseMapping(source: SourceText, report: Report): Mapping | undefined {
  return reportMapping(source, readMapping(source), report);
}

/** Returns a mapping with the same text as another one, which was parsed without mistakes. */
export function repeatMapping(source: SourceText, like: Mapping): Mapping {
  let statements: readonly Statement[] | undefined;
  return {
    kind: "Mapping",
    source,
    form: like.form,
    get statements() {
      statements ??= readMapping(source).mapping.statements;
      return statements;
    },
    span: wholeSpan(source),
    like,
  };
}

/** Parses a file that `import` or `from` names: it has to be a statement list. */
export function parseImportedMapping(source: SourceText, report: Report): Mapping | undefined {
  return reportMapping(source, readStatements(source), report);
}

/** Parses a query that stands alone, such as the check of a `switch` case. */
export function parseQuery(source: SourceText, report: Report): Expression | undefined {
  const { query, found } = readWholeQuery(source);
  if (found === undefined) return query;
  reportFailure(source, found.nearest, mappingReference(source, found.first), report);
  return undefined;
}

/** Parses a string with `${! query }` parts. */
export function parseTemplate(source: SourceText, report: Report): Template | undefined {
  const { parts, found } = readTemplate(source);
  if (found === undefined) return { kind: "Template", source, parts, span: wholeSpan(source) };
  reportFailure(source, found.nearest, templateReference(source, found.first), report);
  return undefined;
}

/** Returns the first syntax error of a mapping in the reference's words: `line 1 char 8: expected whitespace`. */
export function findMappingError(source: SourceText): string | undefined {
  return word(source, readMapping(source).found[0], mappingReference);
}

/** Returns the first syntax error of an imported file in the reference's words. */
export function findImportedMappingError(source: SourceText): string | undefined {
  return word(source, readStatements(source).found[0], mappingReference);
}

/** Returns the syntax error of a bare query in the reference's words. */
export function findQueryError(source: SourceText): string | undefined {
  return word(source, readWholeQuery(source).found, mappingReference);
}

/** Returns the syntax error of a template in the reference's words: `char 22: required: expected end quote`. */
export function findTemplateError(source: SourceText): string | undefined {
  return word(source, readTemplate(source).found, templateReference);
}

function reportMapping(
  source: SourceText,
  { mapping, found }: MappingResult,
  report: Report,
): Mapping | undefined {
  for (const { nearest, first } of found) {
    reportFailure(source, nearest, mappingReference(source, first), report);
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

/** Reads a template to its end or its first mistake. */
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

/** Reads text up to the next dollar sign, a dollar sign without meaning, or `${{!x}}`, which is decoded to `${!x}`. */
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

/** Reads a text that contains one query and otherwise only free space. */
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
