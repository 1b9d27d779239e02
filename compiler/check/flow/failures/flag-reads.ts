// Finds where scripts ask whether something failed on the message, and how they use the answer.

import {
  type Expression,
  type FunctionCall,
  type Mapping,
  type MappingNode,
  sampleOf,
} from "../../../trees/mapping.ts";
import { walk } from "../../../trees/walk.ts";

const readers: ReadonlySet<string> = new Set([
  "errored",
  "error",
  "error_source_label",
  "error_source_path",
  "error_source_type",
  "error_source_name",
]);

/** Returns the calls that read the error flag of a message, in source order. */
export function flagReads(script: MappingNode): readonly FunctionCall[] {
  const found: FunctionCall[] = [];
  walk(script, {
    FunctionCall(node) {
      if (readers.has(node.name.text)) found.push(node);
    },
  });
  return found;
}

/**
 * Whether a mapping deletes flagged messages, and does nothing else with them that could fail:
 * `root = if errored() { deleted() }`.
 */
export function deletesFlagged(mapping: Mapping): boolean {
  const { statements, from } = sampleOf(mapping);
  const [only, ...others] = statements;
  if (from !== undefined || only?.kind !== "Assign" || only.target.length > 0 || others.length > 0)
    return false;
  if (only.value.kind !== "IfExpression") return false;
  const [first] = only.value.branches;
  const byFlag = first && flagTest(first.condition);
  if (first === undefined || byFlag === undefined) return false;
  return isDeletion(byFlag === "flagged" ? first.value : only.value.otherwise);
}

/** Whether an expression is `deleted()`. */
export function isDeletion(node: Expression | undefined): boolean {
  return node?.kind === "FunctionCall" && node.name.text === "deleted";
}

/** Returns which messages a check selects by their flag alone; `undefined` if it also reads something else. */
export function flagTest(check: Expression): "flagged" | "well" | undefined {
  switch (check.kind) {
    case "Group":
      return flagTest(check.inner);
    case "FunctionCall":
      return check.name.text === "errored" ? "flagged" : undefined;
    case "Not": {
      const inner = flagTest(check.operand);
      return inner === undefined ? undefined : inner === "well" ? "flagged" : "well";
    }
    case "Binary": {
      const isNullTest = isError(check.left) && check.right.kind === "NullLiteral";
      if (!isNullTest) return undefined;
      return check.operator === "!=" ? "flagged" : check.operator === "==" ? "well" : undefined;
    }
    default:
      return undefined;
  }
}

function isError(node: Expression): boolean {
  return node.kind === "FunctionCall" && node.name.text === "error";
}
