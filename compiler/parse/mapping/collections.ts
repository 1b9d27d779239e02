// Array and object literals.

import type { ArrayLiteral, Expression, ObjectEntry, ObjectLiteral } from "../../trees/mapping.ts";
import { readComma, readList } from "./delimited.ts";
import { fatal, type Parsed, ParseFailure } from "./failure.ts";
import { readQuotedString } from "./literals.ts";
import type { Reader } from "./reader.ts";
import { withVariables } from "./variables.ts";

/** `[a, b,]` */
export function readArray(reader: Reader): Parsed<ArrayLiteral> {
  const start = reader.at;
  const unopened = reader.expect("[", "array");
  if (unopened !== undefined) return unopened;
  reader.skipFreeSpace();
  const elements = readList(reader, {
    element: () => reader.query(),
    delimiter: () => readComma(reader),
    close: "]",
  });
  if (elements instanceof ParseFailure) return elements;
  return { kind: "ArrayLiteral", elements, span: reader.spanFrom(start) };
}

/** `{"k": v, (q): v, this.x: v,}` */
export function readObject(reader: Reader): Parsed<ObjectLiteral> {
  const start = reader.at;
  const unopened = reader.expect("{", "object");
  if (unopened !== undefined) return unopened;
  reader.skipFreeSpace();
  const entries = readList(reader, {
    element: () => readEntry(reader),
    delimiter: () => readComma(reader),
    close: "}",
  });
  if (entries instanceof ParseFailure) return entries;
  for (const { key } of entries) {
    const type = literalType(key);
    if (type === undefined || type === "string") continue;
    const { start: keyStart, end } = key.span;
    return fatal(start, `object keys must be strings, received: ${type}`, {
      code: "GW2018",
      start: keyStart,
      end,
      details: { key: reader.text.slice(keyStart, end) },
    });
  }
  return { kind: "ObjectLiteral", entries, span: reader.spanFrom(start) };
}

/** A quoted string is a key whole: `"a" + "b": 1` needs brackets around the sum. */
function readEntry(reader: Reader): Parsed<ObjectEntry> {
  const start = reader.at;
  const key = reader.sees('"') ? withVariables(readQuotedString(reader)) : reader.queryOnce();
  if (key instanceof ParseFailure) return key;
  reader.skipBlanks();
  const uncoloned = reader.expect(":");
  if (uncoloned !== undefined) return uncoloned;
  reader.skipFreeSpace();
  const value = reader.query();
  if (value instanceof ParseFailure) return value;
  return { kind: "ObjectEntry", key, value, span: reader.spanFrom(start) };
}

/**
 * The Go type of an expression that is a literal as written; undefined for all others, among them those
 * that only folding makes a literal.
 */
function literalType(expression: Expression): string | undefined {
  switch (expression.kind) {
    case "Group":
      return literalType(expression.inner);
    case "NullLiteral":
      return "<nil>";
    case "BooleanLiteral":
      return "bool";
    case "IntegerLiteral":
      return "int64";
    case "FloatLiteral":
      return "float64";
    case "StringLiteral":
      return "string";
    case "Negate":
      return isNumber(expression.operand) ? literalType(expression.operand) : undefined;
    case "ArrayLiteral":
      return expression.elements.every(isLiteral) ? "[]interface {}" : undefined;
    case "ObjectLiteral":
      return expression.entries.every(({ key, value }) => isLiteral(key) && isLiteral(value))
        ? "map[string]interface {}"
        : undefined;
    default:
      return undefined;
  }
}

function isLiteral(expression: Expression): boolean {
  return literalType(expression) !== undefined;
}

function isNumber(expression: Expression): boolean {
  const type = literalType(expression);
  return type === "int64" || type === "float64";
}
