// Lowers checked mappings, queries and templates to plans: names become slots and locals, literals are
// folded, paths are flattened, calls get all their arguments.

import type {
  CheckedFacts,
  CheckedMapping,
  CheckedQuery,
  CheckedTemplate,
} from "../../check/mapping/checked.ts";
import type { MapDefinition } from "../../trees/mapping.ts";
import { walk } from "../../trees/walk.ts";
import { lowerExpression } from "./expressions.ts";
import type { MapPlan, MappingMode, MappingPlan, QueryPlan, TemplatePlan } from "./ir.ts";
import { createLocal, createScope, documentContext, type PlanScope, planExpression } from "./scope.ts";
import { createLineFinder, planStatements, singleAssignments } from "./statements.ts";

/** The plan of a whole mapping. */
export function planMapping(checked: CheckedMapping, mode: MappingMode = "mapping"): MappingPlan {
  const scope = createScope(checked, documentContext, lowerExpression);
  const single = singleAssignments(checked.statements);
  // A bare query is the whole text, whatever stands before it.
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

/** The plan of a bare query. */
export function planQuery(checked: CheckedQuery): QueryPlan {
  const query = planExpression(checked.query, rootlessScope(checked));
  return { kind: "QueryPlan", span: checked.query.span, query, maps: planMaps(checked) };
}

/** The plan of a template. */
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

/** The maps a map applies; a computed name may be any of them. */
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
