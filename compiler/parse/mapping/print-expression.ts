// Queries back to text; see printer.ts.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { Argument, Expression, IfExpression, MatchExpression, Name, ObjectEntry, Slice } from "./ast.ts";
import { quoteString } from "./escapes.ts";

/** What each level of nesting is indented by. */
export const indentUnit = "  ";

/** The text of a query; lines after the first are indented by `indent`. */
export function printExpression(expression: Expression, indent = ""): string {
  const print = (inner: Expression): string => printExpression(inner, indent);
  const { kind } = expression;
  switch (kind) {
    case "NullLiteral":
      return "null";
    case "BooleanLiteral":
    case "IntegerLiteral":
      return String(expression.value);
    case "FloatLiteral":
      return expression.text;
    case "StringLiteral":
      return expression.raw ? `"""${expression.value}"""` : quoteString(expression.value);
    case "ArrayLiteral":
      return `[${expression.elements.map(print).join(", ")}]`;
    case "ObjectLiteral":
      return `{${expression.entries.map((entry) => printEntry(entry, indent)).join(", ")}}`;
    case "This":
      return expression.implicit ? "" : "this";
    case "Root":
      return "root";
    case "ContextName":
      return expression.name;
    case "Variable":
      return `$${expression.name}`;
    case "Metadata":
      return expression.key === undefined ? "@" : `@${printName(expression.key)}`;
    case "FieldAccess":
      return printReceiver(expression.receiver, indent, expression.name) + printName(expression.name);
    case "MethodCall":
      return (
        printReceiver(expression.receiver, indent, expression.name) +
        printCall(expression.name, expression.args, indent)
      );
    case "FunctionCall":
      return printCall(expression.name, expression.args, indent);
    case "MapExpression":
      return `${print(expression.receiver)}.(${print(expression.body)})`;
    case "IndexAccess":
      return `${print(expression.receiver)}[${print(expression.index)}]`;
    case "Slice":
      return `${print(expression.receiver)}[${printBounds(expression, indent)}]`;
    case "Negate":
      return `-${print(expression.operand)}`;
    case "Not":
      return `!${print(expression.operand)}`;
    case "Binary":
      return `${print(expression.left)} ${expression.operator} ${print(expression.right)}`;
    case "Group":
      return `(${print(expression.inner)})`;
    case "IfExpression":
      return printIf(expression, indent);
    case "MatchExpression":
      return printMatch(expression, indent);
    case "Lambda":
      return `${printName(expression.parameter)} -> ${print(expression.body)}`;
    default:
      return unreachable(kind);
  }
}

/** A name or segment, quoted if it was. */
export function printName(name: Name): string {
  return name.quoted ? quoteString(name.text) : name.text;
}

/** What stands before a segment, dot included. `5. 0` is a field of 5, `5.0` a number. */
function printReceiver(receiver: Expression, indent: string, name: Name): string {
  if (receiver.kind === "This" && receiver.implicit) return "";
  const gap = receiver.kind === "IntegerLiteral" && /^[0-9]/.test(name.text) ? " " : "";
  return `${printExpression(receiver, indent)}.${gap}`;
}

function printCall(name: Name, args: readonly Argument[], indent: string): string {
  const printed = args.map(
    (arg) => (arg.name === undefined ? "" : `${arg.name.text}: `) + printExpression(arg.value, indent),
  );
  return `${name.text}(${printed.join(", ")})`;
}

function printEntry({ key, value }: ObjectEntry, indent: string): string {
  return `${printExpression(key, indent)}: ${printExpression(value, indent)}`;
}

function printBounds({ start, stop, step }: Slice, indent: string): string {
  const print = (bound: Expression | undefined): string =>
    bound === undefined ? "" : printExpression(bound, indent);
  return `${print(start)}:${print(stop)}${step === undefined ? "" : `:${print(step)}`}`;
}

function printIf({ branches, otherwise }: IfExpression, indent: string): string {
  const printed = branches.map(
    ({ condition, value }) =>
      `if ${printExpression(condition, indent)} { ${printExpression(value, indent)} }`,
  );
  const rest = otherwise === undefined ? "" : ` else { ${printExpression(otherwise, indent)} }`;
  return printed.join(" else ") + rest;
}

/** Cases end with commas: after a line break alone, an `if` without `else` could take the next one in. */
function printMatch({ subject, cases }: MatchExpression, indent: string): string {
  const inner = indent + indentUnit;
  const lines = cases.map(({ pattern, value }) => {
    const left = pattern === undefined ? "_" : printExpression(pattern, inner);
    return `${inner}${left} => ${printExpression(value, inner)},\n`;
  });
  const head = subject === undefined ? "match" : `match ${printExpression(subject, indent)}`;
  return `${head} {\n${lines.join("")}${indent}}`;
}
