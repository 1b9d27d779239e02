// Finds statements that certainly read the message before anything else in them can fail. The document is then stored
// in a variable, and no later read can fail.

import type { MakeObject, Match, Planned, PlannedArgument, PlannedStatement } from "../../plan/mapping/ir.ts";

/** A read of the document that certainly happens before anything else can fail. */
export interface CertainRead {
  readonly kind: "read";
  /** Its spelling in the source. */
  readonly reference: string;
  /** The key of the object literal that it belongs to, which the failure names first. */
  readonly key: string | undefined;
}

/** Returns the first certain read of a statement. */
export function findCertainRead(statement: PlannedStatement): CertainRead | undefined {
  const [first] = statement.kind === "Choose" ? statement.branches : [];
  return findCertainReadOf(first === undefined ? assignedValue(statement) : first.condition);
}

/** Like `findCertainRead`, for an expression. */
export function findCertainReadOf(expression: Planned | undefined): CertainRead | undefined {
  const found = search(expression);
  return found.kind === "read" ? found : undefined;
}

/** `past`: evaluated without a read. `stopped`: the rest is not certain to be reached. */
type Found = CertainRead | { readonly kind: "past" } | { readonly kind: "stopped" };

const past: Found = { kind: "past" };
const stopped: Found = { kind: "stopped" };

function assignedValue(statement: PlannedStatement): Planned | undefined {
  return statement.kind === "Choose" ? undefined : statement.value;
}

function search(node: Planned | undefined): Found {
  if (node === undefined) return past;
  const found = searchParts(node);
  return found.kind === "past" && node.fails === "maybe" ? stopped : found;
}

function searchParts(node: Planned): Found {
  switch (node.kind) {
    case "Path":
      if (node.base.kind === "document")
        return { kind: "read", reference: node.base.reference, key: undefined };
      return node.base.kind === "value" ? search(node.base.value) : past;
    case "MakeArray":
      return sequence(node.elements);
    case "Call":
      return sequence([node.target, ...node.args.map(valueArgument)]);
    case "Apply":
      return search(node.target);
    case "Bind":
      return sequence([node.value, node.body]);
    case "Index":
      return sequence([node.target, node.index]);
    case "Slice":
      return search(node.target);
    case "Calculate":
    case "Compare":
      return sequence([node.left, node.right]);
    case "Combine":
      return first(node.left);
    case "Not":
      return search(node.operand);
    case "Choice":
      return first(node.branches[0]?.condition);
    case "Match":
      return searchMatch(node);
    case "MakeObject":
      return searchObject(node);
    case "Coalesce":
    case "Fallback":
    case "Shift":
      return stopped;
    case "Constant":
    case "VariableText":
    case "Absence":
    case "ReadVariable":
    case "FindVariable":
    case "ReadMetadata":
      return past;
  }
}

function valueArgument(arg: PlannedArgument): Planned | undefined {
  return arg.kind === "value" ? arg.value : undefined;
}

function sequence(nodes: readonly (Planned | undefined)[]): Found {
  for (const node of nodes) {
    const found = search(node);
    if (found.kind !== "past") return found;
  }
  return past;
}

/** Searches a node whose first part alone is certain to be evaluated. */
function first(node: Planned | undefined): Found {
  const found = search(node);
  return found.kind === "read" ? found : stopped;
}

function searchMatch({ subject, cases }: Match): Found {
  // Without a subject `this` is null if the message is not a document.
  if (subject === undefined) return stopped;
  const found = search(subject.value);
  if (found.kind !== "past") return found;
  const test = cases[0]?.test;
  if (test === undefined || test.kind === "always") return first(cases[0]?.value);
  return first(test.kind === "equals" ? test.subject : test.query);
}

/** Failures of values name their key. Nested deeper than one literal, the text would need several keys. */
function searchObject({ entries }: MakeObject): Found {
  for (const { key, value } of entries) {
    if (typeof key !== "string") return stopped;
    const found = search(value);
    if (found.kind === "read") return found.key === undefined ? { ...found, key } : stopped;
    if (found.kind === "stopped") return stopped;
  }
  return past;
}
