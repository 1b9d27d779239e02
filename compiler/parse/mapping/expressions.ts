// Parses queries: chains of operators over operands, and primary expressions. Includes `name -> query` and the scope of
// the label that it binds.

import type {
  ArrayLiteral,
  BinaryOperator,
  ContextName,
  Expression,
  FieldAccess,
  Group,
  Lambda,
  MetadataExpression,
  Name,
  ObjectEntry,
  ObjectLiteral,
  Root,
  This,
  Variable,
  VariableText,
} from "../../trees/mapping.ts";
import { walk } from "../../trees/walk.ts";
import { readIfExpression, readMatch } from "./conditionals.ts";
import { readComma, readList } from "./delimited.ts";
import { fatal, furthest, missing, named, type Parsed, ParseFailure, required } from "./failure.ts";
import { readNumber, readQuotedName, readQuotedString, readRawString, readWord } from "./literals.ts";
import type { Reader } from "./reader.ts";
import { readFunctionCall, readTails } from "./tails.ts";
import { readNamedVariable, withVariables } from "./variables.ts";

/** Reads one query, with optional blanks before it. The caller decides what may follow it. */
export function readQuery(reader: Reader): Parsed<Expression> {
  return reader.nested(() => {
    reader.skipBlanks();
    return readChain(reader);
  });
}

/** `a + -b * c`: operands with operators between them, folded by precedence with two stacks. */
function readChain(reader: Reader): Parsed<Expression> {
  const operands: Expression[] = [];
  const waiting: BinaryOperator[] = [];
  for (;;) {
    const operand = readOperand(reader);
    if (operand instanceof ParseFailure) return operand;
    operands.push(operand);
    const operator = takeOperator(reader);
    const level = operator === undefined ? 0 : levels[operator];
    for (let last = waiting.at(-1); last !== undefined && levels[last] >= level; last = waiting.at(-1)) {
      combine(operands, last);
      waiting.pop();
    }
    if (operator === undefined) break;
    waiting.push(operator);
  }
  return operands[0] ?? missing(reader.at, "query");
}

function combine(operands: Expression[], operator: BinaryOperator): void {
  const right = operands.pop();
  const left = operands.pop();
  if (left === undefined || right === undefined) return;
  const span = { ...left.span, end: right.span.end };
  operands.push({ kind: "Binary", operator, left, right, span });
}

function takeOperator(reader: Reader): BinaryOperator | undefined {
  const start = reader.at;
  reader.skipBlanks();
  const operator = operators.find((candidate) => reader.take(candidate));
  if (operator === undefined) reader.at = start;
  else reader.skipFreeSpace();
  return operator;
}

/** Reads an operand with its sign. The minus covers the whole tail: `-5.abs()` is `-(5.abs())`. */
function readOperand(reader: Reader): Parsed<Expression> {
  const start = reader.at;
  if (!reader.take("-")) return readNegatable(reader);
  reader.skipFreeSpace();
  const operand = readNegatable(reader);
  if (operand instanceof ParseFailure) return operand;
  return { kind: "Negate", operand, span: reader.spanFrom(start) };
}

/** `!operand`, or an operand without `!`. */
function readNegatable(reader: Reader): Parsed<Expression> {
  const start = reader.at;
  const negated = reader.take("!");
  if (negated) reader.skipBlanks();
  const primary = readPrimary(reader);
  if (primary instanceof ParseFailure) return primary;
  const operand = readTails(reader, primary);
  if (operand instanceof ParseFailure || !negated) return operand;
  return { kind: "Not", operand, span: reader.spanFrom(start) };
}

/**
 * Tries the rules in the reference's order; the first that matches wins. If all fail and no failure is final, the
 * result is "expected query" at the furthest place that a rule reached.
 */
function readPrimary(reader: Reader): Parsed<Expression> {
  const start = reader.at;
  let failure = missing(start, "query");
  for (const rule of primaryRules) {
    const result = rule(reader);
    if (result === undefined) continue;
    if (!(result instanceof ParseFailure)) return result;
    if (result.fatal !== undefined) return result;
    failure = furthest(failure, result);
    reader.at = start;
  }
  return named(failure, "query");
}

/** A rule that fails may leave the reader anywhere. A rule that does not apply to the text returns `undefined`. */
const primaryRules: readonly ((reader: Reader) => Parsed<Expression> | undefined)[] = [
  readMatch,
  readIfExpression,
  readLambda,
  (reader) => (reader.sees("(") ? readGroup(reader) : undefined),
  readWord,
  (reader) => (/[-0-9]/.test(reader.text.charAt(reader.at)) ? readNumber(reader) : undefined),
  (reader) => withVariables(readRawString(reader)),
  (reader) => (reader.sees('"') ? withVariables(readQuotedString(reader)) : undefined),
  (reader) => (reader.sees("[") ? readArray(reader) : undefined),
  (reader) => (reader.sees("{") ? readObject(reader) : undefined),
  readFunctionCall,
  (reader) => (reader.sees("@") ? readMetadata(reader) : undefined),
  (reader) => (reader.sees("$") ? readVariable(reader) : undefined),
  readBareName,
];

/** `(query)` */
function readGroup(reader: Reader): Parsed<Group> {
  const start = reader.at;
  reader.take("(");
  reader.skipFreeSpace();
  const inner = reader.query();
  if (inner instanceof ParseFailure) return inner;
  reader.skipFreeSpace();
  const unclosed = reader.expect(")", "closing bracket");
  if (unclosed !== undefined) return required(unclosed);
  return { kind: "Group", inner, span: reader.spanFrom(start) };
}

/** `@name`, `@"any name"`, `@` */
function readMetadata(reader: Reader): Parsed<MetadataExpression> {
  const start = reader.at;
  reader.take("@");
  const key = reader.sees('"') ? readQuotedName(reader) : reader.takeName();
  if (key instanceof ParseFailure) return key;
  return { kind: "Metadata", ...(key === undefined ? {} : { key }), span: reader.spanFrom(start) };
}

/** `$name`, `$gw_context.name` */
function readVariable(reader: Reader): Parsed<Variable | VariableText> {
  const named = readNamedVariable(reader);
  if (named !== undefined) return named;
  const start = reader.at;
  reader.take("$");
  const name = reader.takeName();
  if (name === undefined) return missing(reader.at, "variable path");
  return { kind: "Variable", name: name.text, span: reader.spanFrom(start) };
}

/** `this`, `root`, a label in scope, or a field of `this`. */
function readBareName(reader: Reader): This | Root | ContextName | FieldAccess | undefined {
  const name = reader.takeName();
  return name === undefined ? undefined : resolveBareName(reader, name);
}

function resolveBareName(reader: Reader, name: Name): This | Root | ContextName | FieldAccess {
  const { span, text } = name;
  if (text === "this") return { kind: "This", implicit: false, span };
  if (text === "root") return { kind: "Root", span };
  if (reader.labels.includes(text)) return { kind: "ContextName", name: text, span };
  const receiver: This = { kind: "This", implicit: true, span: { ...span, end: span.start } };
  return { kind: "FieldAccess", receiver, name, span };
}

/** The operators in the order in which they are tried: none is a prefix of a later one. */
export const operators: readonly BinaryOperator[] = [
  "+",
  "-",
  "/",
  "*",
  "%",
  "&&",
  "||",
  "==",
  "!=",
  ">=",
  "<=",
  ">",
  "<",
  "|",
];

/** The precedence of each operator. Operators of one level are applied from left to right. */
export const levels: { readonly [O in BinaryOperator]: number } = {
  "*": 4,
  "/": 4,
  "%": 4,
  "|": 4,
  "+": 3,
  "-": 3,
  "==": 2,
  "!=": 2,
  ">": 2,
  "<": 2,
  ">=": 2,
  "<=": 2,
  "&&": 1,
  "||": 1,
};

/** `name -> query`; `undefined` if the text is not a name, blanks, an arrow and blanks. */
function readLambda(reader: Reader): Parsed<Lambda> | undefined {
  const start = reader.at;
  const parameter = takeParameter(reader);
  if (parameter === undefined) {
    reader.at = start;
    return undefined;
  }
  const refused = checkLabel(reader, parameter);
  if (refused !== undefined) return refused;
  const body = readBody(reader, parameter);
  if (body instanceof ParseFailure) return required(body);
  return checkChain(parameter, body) ?? { kind: "Lambda", parameter, body, span: reader.spanFrom(start) };
}

function takeParameter(reader: Reader): Name | undefined {
  const name = reader.takeName();
  return name !== undefined && reader.skipBlanks() && reader.take("->") && reader.skipBlanks()
    ? name
    : undefined;
}

function readBody(reader: Reader, parameter: Name): Parsed<Expression> {
  if (parameter.text === "_") return reader.query();
  reader.labels.push(parameter.text);
  const body = reader.query();
  reader.labels.pop();
  return body;
}

function checkLabel(reader: Reader, { text: label, span }: Name): ParseFailure | undefined {
  const { start, end } = span;
  if (label === "this" || label === "root") {
    const mistake = { code: "GW2014", start, end, details: { label } } as const;
    return fatal(start, `context label \`${label}\` is not allowed`, mistake);
  }
  if (!reader.labels.includes(label)) return undefined;
  const mistake = { code: "GW2015", start, end, details: { label } } as const;
  return fatal(start, `context label \`${label}\` would shadow a parent context`, mistake);
}

/** Refuses a lambda whose whole body is a lambda, in brackets or not: it would bind one value twice. */
function checkChain(parameter: Name, body: Expression): ParseFailure | undefined {
  if (body.kind === "Group") return checkChain(parameter, body.inner);
  if (body.kind !== "Lambda") return undefined;
  const [outer, inner] = [parameter.text, body.parameter.text];
  const text = `it would be in poor taste to capture the same context under both '${outer}' and '${inner}'`;
  const { start, end } = body.parameter.span;
  const uses: number[] = [];
  walk(body.body, {
    ContextName({ name, span }) {
      if (name === inner) uses.push(span.start);
    },
  });
  const details = { outer, inner, body: body.body.span.start, uses };
  return fatal(parameter.span.start, text, { code: "GW2016", start, end, details });
}

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

/** A quoted string is a whole key: `"a" + "b": 1` needs brackets around the sum. */
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
 * Returns the Go type of an expression that is written as a literal; `undefined` for all others, including those
 * that only folding turns into a literal.
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
