// Prints trees as text. Parsing the result returns the same tree except for source ranges. Comments are not part of the
// tree and are lost. Accepts only trees that the parser created: it adds no brackets.

import { unreachable } from "../../compiler/diagnostics/invariant.ts";
import type {
  Argument,
  Expression,
  IfExpression,
  Mapping,
  MatchExpression,
  Name,
  ObjectEntry,
  Slice,
  Statement,
  Template,
  VariableText,
} from "../../compiler/trees/mapping.ts";
import { printVariable } from "../../compiler/trees/named-variables.ts";

/** The escapes of Go that have a letter. */
const letters = new Map(
  Object.entries({
    a: "\x07",
    b: "\b",
    f: "\f",
    n: "\n",
    r: "\r",
    t: "\t",
    v: "\v",
    "\\": "\\",
    '"': '"',
  }).map(([letter, text]) => [text, letter]),
);

const indentUnit = "  ";

/** Returns the text of a mapping, with a line break at its end unless it is a bare query. */
export function printMapping(mapping: Mapping): string {
  const { form, from, statements } = mapping;
  if (form === "from") return from === undefined ? "" : `from ${printExpression(from)}\n`;
  if (form === "shorthand") return statements.map(printShorthand).join("");
  return statements.map((statement) => `${printStatement(statement, "")}\n`).join("");
}

/** Returns the text of a template. */
export function printTemplate(template: Template): string {
  return template.parts
    .map((part) =>
      part.kind === "TextPart" ? printText(part.text) : `\${! ${spaced(printExpression(part.query))}}`,
    )
    .join("");
}

/** Returns the text of a query. Lines after the first are indented by `indent`. */
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
    case "VariableText":
      return `"${expression.parts.map(printTextPart).join("")}"`;
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
      return `${spaced(print(expression.left))}${expression.operator} ${print(expression.right)}`;
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

function printTextPart(part: VariableText["parts"][number]): string {
  return typeof part === "string" ? quoteString(part).slice(1, -1) : printVariable(part);
}

function printStatement(statement: Statement, indent: string): string {
  switch (statement.kind) {
    case "Import":
      return `import ${printExpression(statement.path)}`;
    case "MapDefinition":
      return `map ${printName(statement.name)} ${printBlock(statement.statements, indent)}`;
    case "Let":
      return `let ${printName(statement.name)} = ${printExpression(statement.value, indent)}`;
    case "MetaAssign": {
      const key = statement.key === undefined ? "" : ` ${printName(statement.key)}`;
      return `meta${key} = ${printExpression(statement.value, indent)}`;
    }
    case "Assign":
      return `${printTarget(statement.target, statement.rooted)} = ${printExpression(statement.value, indent)}`;
    case "IfStatement": {
      const branches = statement.branches.map(
        ({ condition, statements }) =>
          `if ${spaced(printExpression(condition, indent))}${printBlock(statements, indent)}`,
      );
      const otherwise =
        statement.otherwise === undefined ? "" : ` else ${printBlock(statement.otherwise, indent)}`;
      return branches.join(" else ") + otherwise;
    }
    default:
      return unreachable(statement);
  }
}

function printBlock(statements: readonly Statement[], indent: string): string {
  const inner = indent + indentUnit;
  const lines = statements.map((statement) => `${inner}${printStatement(statement, inner)}\n`);
  return `{\n${lines.join("")}${indent}}`;
}

function printTarget(target: readonly Name[], rooted: boolean): string {
  const segments = target.map(printName);
  return (rooted ? ["root", ...segments] : segments).join(".");
}

function printShorthand(statement: Statement): string {
  return statement.kind === "Assign" ? printExpression(statement.value) : printStatement(statement, "");
}

/**
 * Returns the text with a blank after it, unless it ends in a bare field whose name with a blank would be read as the
 * beginning of a statement, an `if` or a `match`.
 */
function spaced(text: string): string {
  return /(?<![\w.$@])(if|match|let|map|import)$/.test(text) ? text : `${text} `;
}

/**
 * Returns the text with every `${!` escaped. An escape ends at its first `}}`, so it extends to the next `}}` of the
 * text, or to the last `}` if there is none. It never leaves a second `${!` in between.
 */
function printText(text: string): string {
  let printed = "";
  let from = 0;
  for (let at = text.indexOf("${!"); at !== -1; at = text.indexOf("${!", from)) {
    const doubled = text.indexOf("}}", at);
    const end = doubled === -1 ? text.lastIndexOf("}") : doubled;
    if (end < at) break;
    printed += `${text.slice(from, at)}\${{!${text.slice(at + 3, end)}}}`;
    from = end + 1;
  }
  return printed + text.slice(from);
}

/** Returns a name or segment, with quotes if it was written with them. */
function printName(name: Name): string {
  return name.quoted ? quoteString(name.text) : name.text;
}

/** Returns the text before a segment, dot included. `5. 0` is a field of 5, `5.0` is a number. */
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
      `if ${spaced(printExpression(condition, indent))}{ ${spaced(printExpression(value, indent))}}`,
  );
  const rest = otherwise === undefined ? "" : ` else { ${spaced(printExpression(otherwise, indent))}}`;
  return printed.join(" else ") + rest;
}

/** Ends cases with commas: after a line break alone, an `if` without `else` could absorb the next case. */
function printMatch({ subject, cases }: MatchExpression, indent: string): string {
  const inner = indent + indentUnit;
  const lines = cases.map(({ pattern, value }) => {
    const left = pattern === undefined ? "_ " : spaced(printExpression(pattern, inner));
    return `${inner}${left}=> ${printExpression(value, inner)},\n`;
  });
  const head = subject === undefined ? "" : spaced(printExpression(subject, indent));
  return `match ${head}{\n${lines.join("")}${indent}}`;
}

/** Returns `value` as a double-quoted string, quotes included. */
function quoteString(value: string): string {
  let quoted = '"';
  for (const character of value) quoted += encodeCharacter(character);
  return `${quoted}"`;
}

function encodeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
  const letter = letters.get(character);
  if (letter !== undefined) return `\\${letter}`;
  return code < 0x20 || code === 0x7f ? `\\u${code.toString(16).padStart(4, "0")}` : character;
}
