// Maps that always come back to themselves, so that applying them never ends.

import type { Report } from "../../diagnostics/sink.ts";
import type { Expression, MethodCall, Statement } from "../../trees/mapping.ts";
import { childrenOf } from "../../trees/walk.ts";
import type { CheckedMapping } from "../mapping/checked.ts";
import { literalArgument } from "./narrowing/references.ts";

/** Reports each application that closes a circle of maps that always apply each other. */
export function reportEndlessMaps({ maps, mapping }: CheckedMapping, report: Report): void {
  const calls = new Map(Array.from(maps, ([name, map]) => [name, sureCallsOf(map.statements)] as const));
  const told = new Set<string>();
  for (const [name, map] of maps) {
    if (map.span.source !== mapping.source || told.has(name)) continue;
    const call = (calls.get(name) ?? []).find((each) => leadsTo(literalArgument(each), name, calls));
    if (call === undefined) continue;
    report("GW3116", (call.args[0] ?? call).span, { name });
    // All maps of a circle are one mistake.
    for (const other of calls.keys()) if (leadsTo(name, other, calls)) told.add(other);
  }
}

/** Whether the map `from` always comes to apply `goal`. */
function leadsTo(
  from: string | undefined,
  goal: string,
  calls: ReadonlyMap<string, readonly MethodCall[]>,
): boolean {
  const met = new Set<string>();
  const pending = [from];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at === goal) return true;
    if (met.has(at)) continue;
    met.add(at);
    for (const call of calls.get(at) ?? []) {
      const next = literalArgument(call);
      if (next !== undefined) pending.push(next);
    }
  }
  return false;
}

/** Applications that happen in every run of the statements, before the mapping can end otherwise. */
function sureCallsOf(statements: readonly Statement[]): readonly MethodCall[] {
  return statements.flatMap((statement) => {
    switch (statement.kind) {
      case "Let":
      case "Assign":
      case "MetaAssign":
        return sureCallsIn(statement.value);
      case "IfStatement": {
        const [first] = statement.branches;
        return first === undefined ? [] : sureCallsIn(first.condition);
      }
      default:
        return [];
    }
  });
}

function sureCallsIn(node: Expression): readonly MethodCall[] {
  switch (node.kind) {
    case "MethodCall": {
      const isApply = node.name.text === "apply" && literalArgument(node) !== undefined;
      // Arguments may be queries that run for no element at all, or for a fallback that is not needed.
      return [...sureCallsIn(node.receiver), ...(isApply ? [node] : [])];
    }
    case "FunctionCall":
    case "Lambda":
      return [];
    case "Binary":
      return ["|", "&&", "||"].includes(node.operator)
        ? sureCallsIn(node.left)
        : [...sureCallsIn(node.left), ...sureCallsIn(node.right)];
    case "IfExpression": {
      const [first] = node.branches;
      return first === undefined ? [] : sureCallsIn(first.condition);
    }
    case "MatchExpression":
      return node.subject === undefined ? [] : sureCallsIn(node.subject);
    default:
      return childrenOf(node).flatMap((child) => (isExpression(child) ? sureCallsIn(child) : []));
  }
}

/** The other children of expressions are names and the entries of objects. */
function isExpression(node: ReturnType<typeof childrenOf>[number]): node is Expression {
  return !["Name", "ObjectEntry", "Argument", "ExpressionBranch", "MatchCase"].includes(node.kind);
}
