// Text of the mapping language to trees: whole mappings, bare queries, and templates, which are strings with queries in them:
// `orders/${! this.id }`. Mistakes go to the report; the trees hold what could be read. Nothing is resolved, folded or typed
// here.

import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, spanOf, wholeSpan } from "../../source/source.ts";
import type { Expression, Mapping, QueryPart, Template, TemplatePart } from "../../trees/mapping.ts";
import { checkDepth } from "./depth.ts";
import { readQuery } from "./expressions.ts";
import { mappingReference, type Parsed, ParseFailure, required, templateReference } from "./failure.ts";
import { type MappingResult, readMapping, readStatements } from "./mappings.ts";
import { reportFailure } from "./mistakes.ts";
import { readWholeQuery } from "./queries.ts";
import { type Found, find, Reader } from "./reader.ts";

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
