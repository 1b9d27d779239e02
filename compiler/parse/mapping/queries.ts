// A query that is the whole text.

import type { SourceText } from "../../source/source.ts";
import type { Expression } from "../../trees/mapping.ts";
import { checkDepth } from "./depth.ts";
import { readQuery } from "./expressions.ts";
import { type Parsed, ParseFailure } from "./failure.ts";
import { type Found, find, Reader } from "./reader.ts";

/** Reads a text that holds one query and nothing else but free space. */
export function readWholeQuery(source: SourceText): { query?: Expression; found?: Found } {
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
