// Branches that never run are left out, and conditions that always hold with them: `if false { … }`,
// `true && …`. What an error text says of an expression stays what the author wrote.

import type {
  Choice,
  Choose,
  Combine,
  Condition,
  MapPlan,
  MappingPlan,
  Planned,
  PlannedStatement,
} from "../plan/mapping/ir.ts";
import type { Plan } from "../plan/plan.ts";
import { rewriteStreams } from "./rewrite.ts";
import { rewriteStatements } from "./rewrite-mapping.ts";

/** Folds the conditions of every mapping. */
export function foldConditions(plan: Plan): Plan {
  return rewriteStreams(plan, () => ({ mapping: foldMapping }));
}

function foldMapping(mapping: MappingPlan): MappingPlan {
  return { ...foldScript(mapping), maps: mapping.maps.map(foldScript) };
}

function foldScript<T extends MappingPlan | MapPlan>(script: T): T {
  return { ...script, statements: rewriteStatements(script.statements, { statement, expression }) };
}

function statement(given: PlannedStatement): readonly PlannedStatement[] {
  return given.kind === "Choose" ? foldStatement(given) : [given];
}

function expression(given: Planned): Planned {
  if (given.kind === "Choice") return foldChoice(given);
  return given.kind === "Combine" ? foldCombination(given) : given;
}

function foldStatement(given: Choose): readonly PlannedStatement[] {
  const { branches, last } = reachable(given.branches);
  const otherwise = last?.statements ?? given.otherwise;
  return branches.length === 0 ? otherwise : [{ ...given, branches, otherwise }];
}

function foldChoice(given: Choice): Planned {
  const { branches, last } = reachable(given.branches);
  const otherwise = last?.value ?? given.otherwise;
  if (branches.length > 0) return { ...given, branches, otherwise };
  return otherwise === undefined ? nothing(given) : { ...otherwise, from: given.from };
}

/** An `if` without a branch to take. */
function nothing({ span, from }: Choice): Planned {
  return { kind: "Absence", name: "nothing", span, from, type: "any", fails: "never", absence: true };
}

/** The branches that may run, up to the first that always does, which is `last`. */
function reachable<T extends Condition>(
  given: readonly T[],
): { readonly branches: readonly T[]; readonly last: T | undefined } {
  const end = given.findIndex(({ condition }) => constantOf(condition) === true);
  const before = end === -1 ? given : given.slice(0, end);
  return {
    branches: before.filter(({ condition }) => constantOf(condition) === undefined),
    last: given[end],
  };
}

function foldCombination(given: Combine): Planned {
  const known = constantOf(given.left);
  if (known === undefined) return given;
  // `false &&` and `true ||` decide by themselves; otherwise the right side does, which has to be a bool.
  if (known === (given.operator === "||")) return { ...given.left, from: given.from };
  return given.right.type === "boolean" ? { ...given.right, from: given.from } : given;
}

function constantOf(node: Planned): boolean | undefined {
  return node.kind === "Constant" && typeof node.value === "boolean" ? node.value : undefined;
}
