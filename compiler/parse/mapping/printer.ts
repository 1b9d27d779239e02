// Trees back to text. Parsing what is printed gives the same tree, spans aside. Comments are not in the
// tree, so they are not printed. For trees the parser made; it adds no brackets of its own.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { Mapping, Name, Statement, Template } from "./ast.ts";
import { indentUnit, printExpression, printName } from "./print-expression.ts";

export { printExpression };

/** The text of a mapping, with a line break at its end unless it is a bare query. */
export function printMapping(mapping: Mapping): string {
  const { form, from, statements } = mapping;
  if (form === "from") return from === undefined ? "" : `from ${printExpression(from)}\n`;
  if (form === "shorthand") return statements.map(printShorthand).join("");
  return statements.map((statement) => `${printStatement(statement, "")}\n`).join("");
}

/** The text of a template. */
export function printTemplate(template: Template): string {
  return template.parts
    .map((part) =>
      part.kind === "TextPart" ? printText(part.text) : `\${! ${printExpression(part.query)} }`,
    )
    .join("");
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
          `if ${printExpression(condition, indent)} ${printBlock(statements, indent)}`,
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

/** A bare query that starts with the name of a statement has no blank behind it, or it would be read as one. */
function printShorthand(statement: Statement): string {
  if (statement.kind !== "Assign") return printStatement(statement, "");
  return printExpression(statement.value).replace(/^(import|map|let) /, "$1");
}

/** Text may hold `${!` only where an escape was; `}` ends it, so the escape closes before the next one. */
function printText(text: string): string {
  return text.replace(/\$\{!(.*?)\}(?!\})/gs, "${{!$1}}");
}
