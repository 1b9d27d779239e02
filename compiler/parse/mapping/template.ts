// Strings with queries in them: `orders/${! this.id }`.

import { type SourceText, spanOf } from "../../source/source.ts";
import type { QueryPart, TemplatePart } from "../../trees/mapping.ts";
import { checkDepth } from "./depth.ts";
import { readQuery } from "./expressions.ts";
import { type Parsed, ParseFailure, required } from "./failure.ts";
import { type Found, find, Reader } from "./reader.ts";

/** Reads a template to its end, or up to its first mistake. */
export function readTemplate(source: SourceText): { parts: readonly TemplatePart[]; found?: Found } {
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
