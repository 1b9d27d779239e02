// Runs rows about how far a text is parsed: a query or a literal at its start, and the text that remains after it.
import { readArray, readObject, readQuery } from "../../compiler/parse/mapping/expressions.ts";
import { type Parsed, ParseFailure, referenceText } from "../../compiler/parse/mapping/failure.ts";
import {
  readNumber,
  readQuotedString,
  readRawString,
  readWord,
} from "../../compiler/parse/mapping/literals.ts";
import { Reader } from "../../compiler/parse/mapping/reader.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import type { Expression } from "../../compiler/trees/mapping.ts";
import type { Row } from "./rows.ts";

const literalRules: Readonly<Record<string, (reader: Reader) => Parsed<Expression> | undefined>> = {
  Array: readArray,
  Boolean: readWord,
  Number: readNumber,
  Object: readObject,
  QuotedMultilineString: readRawString,
  QuotedString: readQuotedString,
};

/** Returns why a row of the mode `parse_prefix` or `literal_prefix` fails; `undefined` if it passes. */
export function executePrefix(row: Row): string | undefined {
  const reader = new Reader(createSourceFile("row.blobl", row.mapping), readQuery);
  const tree =
    row.mode === "parse_prefix" ? reader.query() : literalRules[row.literal_parser ?? ""]?.(reader);
  const wanted = row.parse_error ?? undefined;
  if (tree === undefined) return `does not parse${wanted === undefined ? "" : `, without saying: ${wanted}`}`;
  if (tree instanceof ParseFailure) {
    const text = referenceText(tree);
    return text === wanted ? undefined : `refused: ${text}\n  instead of ${wanted}`;
  }
  if (wanted !== undefined) return `parses, should be refused: ${wanted}`;
  const left = row.mapping.slice(reader.at);
  if (left !== row.remaining) return `leaves ${JSON.stringify(left)}\n  instead of ${row.remaining}`;
  return row.mode === "literal_prefix" ? compareLiteral(tree, row.output) : undefined;
}

function compareLiteral(tree: Expression, expected: unknown): string | undefined {
  const [actual, wanted] = [JSON.stringify(literalValue(tree)), JSON.stringify(expected)];
  return actual === wanted ? undefined : `is ${actual}\n  instead of ${wanted}`;
}

/** Returns the value of a literal; the data does not distinguish integers from whole floats. */
function literalValue(literal: Expression): unknown {
  switch (literal.kind) {
    case "NullLiteral":
      return null;
    case "IntegerLiteral":
      return Number(literal.value);
    case "Negate":
      return -Number(literalValue(literal.operand));
    case "BooleanLiteral":
    case "FloatLiteral":
    case "StringLiteral":
      return literal.value;
    case "ArrayLiteral":
      return literal.elements.map(literalValue);
    case "ObjectLiteral":
      return Object.fromEntries(
        literal.entries.map(({ key, value }) => [literalValue(key), literalValue(value)]),
      );
    default:
      throw new Error(`${literal.kind} is no literal`);
  }
}
