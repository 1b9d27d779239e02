// Lowers checked mappings, queries and templates to plans: names become slots and locals, literals are folded, paths are
// flattened, calls get all their arguments. Statements are lowered in order, tracking which variables are definitely assigned.

import type {
  CheckedFacts,
  CheckedMapping,
  CheckedQuery,
  CheckedTemplate,
} from "../../check/mapping/checked.ts";
import { unreachable } from "../../diagnostics/invariant.ts";
import type { IfStatement, Let, MapDefinition, Statement } from "../../trees/mapping.ts";
import { walk } from "../../trees/walk.ts";
import { lowerExpression } from "./expressions.ts";
import type {
  MapPlan,
  MappingMode,
  MappingPlan,
  PlannedStatement,
  QueryPlan,
  Slot,
  TemplatePlan,
} from "./ir.ts";
import { createLocal, createScope, documentContext, type PlanScope, planExpression } from "./scope.ts";

/** Returns the plan of a whole mapping. */
export function planMapping(checked: CheckedMapping, mode: MappingMode = "mapping"): MappingPlan {
  const scope = createScope(checked, documentContext, lowerExpression);
  const single = singleAssignments(checked.statements);
  // A bare query is the whole text, regardless of what precedes it, so its line is always 1.
  const isShorthand = checked.mapping.form === "shorthand";
  const lineInText = createLineFinder((checked.statements[0] ?? checked.mapping).span.source.text);
  const lineAt = isShorthand ? () => 1 : lineInText;
  const statements = planStatements(checked.statements, { scope, single, lineAt });
  return {
    kind: "MappingPlan",
    mode,
    span: checked.mapping.span,
    statements,
    slots: [...scope.variables.slots.values()],
    maps: planMaps(checked),
  };
}

/** Returns the plan of a bare query. */
export function planQuery(checked: CheckedQuery): QueryPlan {
  const query = planExpression(checked.query, rootlessScope(checked));
  return { kind: "QueryPlan", span: checked.query.span, query, maps: planMaps(checked) };
}

/** Returns the plan of a template. */
export function planTemplate(checked: CheckedTemplate): TemplatePlan {
  const scope = rootlessScope(checked);
  const parts = checked.template.parts.map((part) =>
    part.kind === "TextPart" ? part.text : planExpression(part.query, scope),
  );
  return { kind: "TemplatePlan", span: checked.template.span, parts };
}

function rootlessScope(facts: CheckedFacts): PlanScope {
  return { ...createScope(facts, documentContext, lowerExpression), isRootless: true };
}

function planMaps(facts: CheckedFacts): readonly MapPlan[] {
  const calls = new Map([...facts.maps].map(([name, map]) => [name, appliedBy(map, facts)] as const));
  return [...facts.maps].map(([name, map]) => planMap(name, map, facts, reaches(name, name, calls)));
}

function planMap(name: string, map: MapDefinition, facts: CheckedFacts, recursive: boolean): MapPlan {
  const parameter = createLocal("value");
  const scope = createScope(facts, parameter, lowerExpression);
  const single = singleAssignments(map.statements);
  const lineInText = createLineFinder(map.span.source.text);
  const lineAt = (offset: number) => lineInText(offset) - lineInText(map.span.start) + 1;
  const statements = planStatements(map.statements, { scope, single, lineAt });
  const slots = [...scope.variables.slots.values()];
  return { kind: "MapPlan", span: map.span, name, parameter, statements, slots, recursive };
}

/** Returns the maps that a map applies. A computed name may refer to any map. */
function appliedBy(map: MapDefinition, { maps }: CheckedFacts): ReadonlySet<string> {
  const applied = new Set<string>();
  walk(map, {
    MethodCall(call) {
      if (call.name.text !== "apply") return;
      const name = call.args[0]?.value;
      for (const each of name?.kind === "StringLiteral" ? [name.value] : maps.keys()) applied.add(each);
    },
  });
  return applied;
}

/** Whether applying `from` can lead to applying `target`. */
function reaches(from: string, target: string, calls: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const pending = [from];
  const seen = new Set<string>();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    for (const next of calls.get(name) ?? []) {
      if (next === target) return true;
      if (!seen.has(next)) pending.push(next);
      seen.add(next);
    }
  }
  return false;
}

/** The context for lowering statements. */
interface StatementContext {
  readonly scope: PlanScope;
  /** Returns the line of an offset, counted from 1 at the start of the mapping or at the `map` keyword. */
  readonly lineAt: (offset: number) => number;
  /** Variables that exactly one statement assigns, unconditionally. */
  readonly single: ReadonlySet<string>;
  /** The line of the outermost `if` around the statements. */
  readonly line?: number;
}

/** Returns the plans of statements, without maps and imports. */
function planStatements(statements: readonly Statement[], context: StatementContext): PlannedStatement[] {
  return statements.flatMap((statement) => planStatement(statement, context));
}

/** Returns the names that exactly one statement assigns, outside of every `if`. */
function singleAssignments(statements: readonly Statement[]): ReadonlySet<string> {
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

/** Returns a function that returns the line of an offset of a text, counted from 1. */
function createLineFinder(text: string): (offset: number) => number {
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
