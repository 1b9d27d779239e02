// Lowers statements in order, keeping track of which variables are surely set.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { IfStatement, Let, Statement } from "../../trees/mapping.ts";
import type { PlannedStatement, Slot } from "./ir.ts";
import { type PlanScope, planExpression } from "./scope.ts";

/** What lowering statements needs besides their scope. */
export interface StatementContext {
  readonly scope: PlanScope;
  /** The line of an offset, counted from 1 at the start of the mapping, or at the `map` keyword. */
  readonly lineAt: (offset: number) => number;
  /** Variables that only one statement assigns, and always. */
  readonly single: ReadonlySet<string>;
  /** The line of the outermost `if` around the statements. */
  readonly line?: number;
}

/** The plans of statements. Maps and imports are not among them. */
export function planStatements(
  statements: readonly Statement[],
  context: StatementContext,
): PlannedStatement[] {
  return statements.flatMap((statement) => planStatement(statement, context));
}

/** The names that only one statement assigns, outside every `if`. */
export function singleAssignments(statements: readonly Statement[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const count = (among: readonly Statement[], weight: number): void => {
    for (const statement of among) {
      if (statement.kind === "Let") {
        counts.set(statement.name.text, (counts.get(statement.name.text) ?? 0) + weight);
      } else if (statement.kind === "IfStatement") {
        for (const branch of statement.branches) count(branch.statements, 2);
        count(statement.otherwise ?? [], 2);
      }
    }
  };
  count(statements, 1);
  return new Set([...counts].filter(([, times]) => times === 1).map(([name]) => name));
}

function planStatement(statement: Statement, context: StatementContext): PlannedStatement[] {
  const { scope } = context;
  const { span } = statement;
  const line = context.line ?? context.lineAt(span.start);
  switch (statement.kind) {
    case "Import":
    case "MapDefinition":
      return [];
    case "Let":
      return [planLet(statement, context, line)];
    case "MetaAssign": {
      const value = planExpression(statement.value, scope);
      return [{ kind: "AssignMetadata", key: statement.key?.text, value, span, line }];
    }
    case "Assign": {
      const value = planExpression(statement.value, scope);
      const path = statement.target.map((name) => name.text);
      if (path.length === 0) return [{ kind: "AssignRoot", value, span, line }];
      return [{ kind: "AssignField", path, value, span, line }];
    }
    case "IfStatement":
      return [planIf(statement, { ...context, line })];
    default:
      return unreachable(statement);
  }
}

function planLet(statement: Let, { scope, single }: StatementContext, line: number): PlannedStatement {
  const { slots, assigned } = scope.variables;
  const name = statement.name.text;
  const value = planExpression(statement.value, scope);
  const slot: Slot = slots.get(name) ?? { kind: "Slot", name, constant: single.has(name) && !value.absence };
  slots.set(name, slot);
  if (!value.absence) assigned.add(name);
  else if (value.kind !== "Absence" || value.name !== "nothing") assigned.delete(name);
  return { kind: "AssignVariable", slot, value, span: statement.span, line };
}

function planIf(
  statement: IfStatement,
  context: StatementContext & { readonly line: number },
): PlannedStatement {
  const { variables } = context.scope;
  const before = variables.assigned;
  const outcomes: ReadonlySet<string>[] = [];
  const planBlock = (statements: readonly Statement[]): PlannedStatement[] => {
    variables.assigned = new Set(before);
    const planned = planStatements(statements, context);
    outcomes.push(variables.assigned);
    return planned;
  };
  const branches = statement.branches.map((branch, index) => {
    variables.assigned = before;
    return {
      condition: planExpression(branch.condition, context.scope),
      position: index + 1,
      statements: planBlock(branch.statements),
    };
  });
  const otherwise = planBlock(statement.otherwise ?? []);
  const [first = before, ...rest] = outcomes;
  variables.assigned = new Set([...first].filter((name) => rest.every((outcome) => outcome.has(name))));
  return { kind: "Choose", branches, otherwise, span: statement.span, line: context.line };
}

/** Tells the line, from 1, on which an offset of a text lies. */
export function createLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
