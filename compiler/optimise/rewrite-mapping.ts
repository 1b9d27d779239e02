// Statements of a mapping with expressions and statements replaced, innermost first.

import { unreachable } from "../diagnostics/invariant.ts";
import type { MatchArm, Planned, PlannedArgument, PlannedStatement } from "../plan/mapping/ir.ts";

/** What becomes of a statement or an expression whose parts have been replaced already. */
export interface MappingRewriter {
  statement(given: PlannedStatement): readonly PlannedStatement[];
  expression(given: Planned): Planned;
}

/** The statements with all that is in them replaced. */
export function rewriteStatements(
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

/** The expression with each one directly inside of it replaced. */
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
