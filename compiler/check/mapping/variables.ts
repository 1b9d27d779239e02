// Finds variables that are surely unset where they are read. Whatever might have been assigned before, in
// any branch, counts as set.

import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { Expression, FunctionCall, Statement, Variable } from "../../trees/mapping.ts";
import { walk } from "../../trees/walk.ts";

/** Reports reads of variables that no statement before them assigns. `given` are set from outside. */
export function checkVariables(
  statements: readonly Statement[],
  given: ReadonlySet<string>,
  report: Report,
): void {
  visitStatements(statements, new Set(given), report);
}

function visitStatements(statements: readonly Statement[], assigned: Set<string>, report: Report): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case "Let":
        visitReads(statement.value, assigned, report);
        assigned.add(statement.name.text);
        break;
      case "Assign":
      case "MetaAssign":
        visitReads(statement.value, assigned, report);
        break;
      case "IfStatement":
        for (const branch of statement.branches) {
          visitReads(branch.condition, assigned, report);
          visitStatements(branch.statements, assigned, report);
        }
        visitStatements(statement.otherwise ?? [], assigned, report);
    }
  }
}

/** Reports unset variables of a query that no statement comes before. */
export function visitReads(query: Expression, assigned: ReadonlySet<string>, report: Report): void {
  const check = (node: Variable | FunctionCall, name: string) => {
    if (!assigned.has(name)) report("GW3001", node.span, { name, ...nearest(name, assigned) });
  };
  walk(query, {
    Variable: (node) => check(node, node.name),
    FunctionCall(node) {
      const [name] = node.args;
      if (node.name.text === "var" && name?.value.kind === "StringLiteral") check(node, name.value.value);
    },
  });
}
