// Removes branches that never run and conditions that are always true: `if false { … }`, `true && …`. Statements are
// rewritten innermost first. Error messages still quote the expression as the author wrote it.

import { unreachable } from "../diagnostics/invariant.ts";
import type {
  Choice,
  Choose,
  Combine,
  Condition,
  MapPlan,
  MappingPlan,
  MatchArm,
  Planned,
  PlannedArgument,
  PlannedStatement,
} from "../plan/mapping/ir.ts";
import type { Plan } from "../plan/plan.ts";
import { rewriteStreams } from "./rewrite.ts";

/** Folds the conditions of every mapping. */
export function foldConditions(plan: Plan): Plan {
  return rewriteStreams(plan, () => ({ mapping: foldMapping }));
}

function foldMapping(mapping: MappingPlan): MappingPlan {
  return { ...foldScript(mapping), maps: mapping.maps.map(foldScript) };
}

function foldScript<T extends MappingPlan | MapPlan>(script: T): T {
  const { statements } = script;
  const folded = known.get(statements) ?? rewriteStatements(statements, { statement, expression });
  known.set(statements, folded);
  return { ...script, statements: folded };
}

/** The folded statements of scripts, by those that were planned: equal mappings share theirs. */
const known = new WeakMap<readonly PlannedStatement[], readonly PlannedStatement[]>();

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

/** Returns the value of an `if` without a branch to take. */
function nothing({ span, from }: Choice): Planned {
  return { kind: "Absence", name: "nothing", span, from, type: "any", fails: "never", absence: true };
}

/** Returns the branches that may run, up to the first that always runs, which is `last`. */
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
  // `false &&` and `true ||` decide alone; otherwise the right side decides, which must be a bool.
  if (known === (given.operator === "||")) return { ...given.left, from: given.from };
  return given.right.type === "boolean" ? { ...given.right, from: given.from } : given;
}

function constantOf(node: Planned): boolean | undefined {
  return node.kind === "Constant" && typeof node.value === "boolean" ? node.value : undefined;
}

/** Rewrites a statement or an expression whose parts have been rewritten already. */
interface MappingRewriter {
  statement(given: PlannedStatement): readonly PlannedStatement[];
  expression(given: Planned): Planned;
}

/** Returns the statements with everything in them rewritten. */
function rewriteStatements(
  statements: readonly PlannedStatement[],
  rewriter: MappingRewriter,
): readonly PlannedStatement[] {
  return statements.flatMap((statement) => {
    if (statement.kind !== "Choose") {
      return rewriter.statement({ ...statement, value: rewriteExpression(statement.value, rewriter) });
    }
    const branches = statement.branches.map((branch) => ({
      position: branch.position,
      condition: rewriteExpression(branch.condition, rewriter),
      statements: rewriteStatements(branch.statements, rewriter),
    }));
    const otherwise = rewriteStatements(statement.otherwise, rewriter);
    return rewriter.statement({ ...statement, branches, otherwise });
  });
}

function rewriteExpression(node: Planned, rewriter: MappingRewriter): Planned {
  return rewriter.expression(withParts(node, (part) => rewriteExpression(part, rewriter)));
}

type Replace = (part: Planned) => Planned;

/** Returns the expression with its direct parts replaced. */
function withParts(node: Planned, replace: Replace): Planned {
  const optional = (part: Planned | undefined) => (part === undefined ? undefined : replace(part));
  switch (node.kind) {
    case "Constant":
    case "VariableText":
    case "Absence":
    case "ReadVariable":
    case "ReadMetadata":
      return node;
    case "FindVariable":
      return { ...node, name: replace(node.name) };
    case "Path":
      if (node.base.kind !== "value") return node;
      return { ...node, base: { ...node.base, value: replace(node.base.value) } };
    case "MakeArray":
      return { ...node, elements: node.elements.map(replace) };
    case "MakeObject": {
      const entries = node.entries.map(({ key, value }) => ({
        key: typeof key === "string" ? key : replace(key),
        value: replace(value),
      }));
      return { ...node, entries };
    }
    case "Call": {
      const args = node.args.map((arg) => withArgument(arg, replace));
      return { ...node, target: optional(node.target), args };
    }
    case "Apply":
      return {
        ...node,
        target: replace(node.target),
        map: typeof node.map === "string" ? node.map : replace(node.map),
      };
    case "Shift":
    case "Index":
      return replacedTarget(node, replace);
    case "Bind":
      return { ...node, value: replace(node.value), body: replace(node.body) };
    case "Slice": {
      const bounds = { start: optional(node.start), stop: optional(node.stop), step: optional(node.step) };
      return { ...node, target: replace(node.target), ...bounds };
    }
    case "Calculate":
    case "Compare":
    case "Combine":
    case "Coalesce":
      return { ...node, left: replace(node.left), right: replace(node.right) };
    case "Fallback":
      return { ...node, target: replace(node.target), fallback: replace(node.fallback) };
    case "Not":
      return { ...node, operand: replace(node.operand) };
    case "Choice": {
      const branches = node.branches.map(({ position, condition, value }) => ({
        position,
        condition: replace(condition),
        value: replace(value),
      }));
      return { ...node, branches, otherwise: optional(node.otherwise) };
    }
    case "Match": {
      const subject = node.subject && { ...node.subject, value: replace(node.subject.value) };
      return { ...node, subject, cases: node.cases.map((arm) => withArm(arm, replace)) };
    }
    default:
      return unreachable(node);
  }
}

function replacedTarget<T extends Extract<Planned, { kind: "Shift" | "Index" }>>(
  node: T,
  replace: Replace,
): T {
  const index = node.index === undefined ? undefined : replace(node.index);
  return { ...node, target: replace(node.target), index };
}

function withArgument(arg: PlannedArgument, replace: Replace): PlannedArgument {
  if (arg.kind === "omitted") return arg;
  return arg.kind === "value" ? { ...arg, value: replace(arg.value) } : { ...arg, body: replace(arg.body) };
}

function withArm({ test, value }: MatchArm, replace: Replace): MatchArm {
  if (test.kind === "always") return { test, value: replace(value) };
  if (test.kind === "holds") return { test: { ...test, query: replace(test.query) }, value: replace(value) };
  const replaced = { ...test, value: replace(test.value), subject: replace(test.subject) };
  return { test: replaced, value: replace(value) };
}
