// Answers questions about whole trees of the plan, such as what an expression reads at any depth.

import { decidedSide } from "./facts.ts";
import type {
  Coalesce,
  MappingPlan,
  Planned,
  PlannedArgument,
  PlannedStatement,
  QueryPlan,
  Slot,
  TemplatePlan,
  VariableRead,
} from "./ir.ts";

/**
 * Whether the value can contain the root itself, so that the root must no longer be changed in place. In a
 * mutation, `this` is the root.
 */
export function readsWholeRoot(node: Planned, isMutation: boolean): boolean {
  if (node.kind === "Path" && node.segments.length === 0) {
    if (node.base.kind === "root") return true;
    if (node.base.kind === "document") return isMutation;
  }
  if (isMutation && isMessageRead(node)) return true;
  return partsOf(node).some((part) => readsWholeRoot(part, isMutation));
}

/** Returns the direct children of an expression. */
export function partsOf(node: Planned): readonly Planned[] {
  switch (node.kind) {
    case "Constant":
    case "VariableText":
    case "Absence":
    case "ReadVariable":
    case "ReadMetadata":
      return [];
    case "FindVariable":
      return [node.name];
    case "Path":
      return node.base.kind === "value" ? [node.base.value] : [];
    case "MakeArray":
      return node.elements;
    case "MakeObject":
      return node.entries.flatMap(({ key, value }) => (typeof key === "string" ? [value] : [key, value]));
    case "Call":
      return [...present([node.target]), ...node.args.flatMap(partsOfArgument)];
    case "Apply":
      return typeof node.map === "string" ? [node.target] : [node.target, node.map];
    case "Shift":
      return present([node.target, node.index]);
    case "Bind":
      return [node.value, node.body];
    case "Index":
      return [node.target, node.index];
    case "Slice":
      return present([node.target, node.start, node.stop, node.step]);
    case "Calculate":
    case "Compare":
    case "Combine":
      return [node.left, node.right];
    case "Coalesce":
      return sidesOf(node);
    case "Fallback":
      return [node.target, node.fallback];
    case "Not":
      return [node.operand];
    case "Choice":
      return present([...node.branches.flatMap((each) => [each.condition, each.value]), node.otherwise]);
    case "Match":
      return present([
        node.subject?.value,
        ...node.cases.flatMap(({ test, value }) => {
          if (test.kind === "always") return [value];
          return test.kind === "equals" ? [test.subject, test.value, value] : [test.query, value];
        }),
      ]);
  }
}

/** Whether any statement, at any depth, assigns the root or a part of it. */
export function writesRoot(statements: readonly PlannedStatement[]): boolean {
  return statements.some((statement) => {
    if (statement.kind !== "Choose")
      return statement.kind === "AssignRoot" || statement.kind === "AssignField";
    return (
      statement.branches.some((branch) => writesRoot(branch.statements)) || writesRoot(statement.otherwise)
    );
  });
}

function partsOfArgument(arg: PlannedArgument): readonly Planned[] {
  if (arg.kind === "omitted") return [];
  return [arg.kind === "value" ? arg.value : arg.body];
}

function present(nodes: readonly (Planned | undefined)[]): readonly Planned[] {
  return nodes.filter((node) => node !== undefined);
}

/** Whether any expression reads the root or a part of it. */
export function readsRoot(statements: readonly PlannedStatement[]): boolean {
  return expressionsOf(statements).some(function isRootRead(node): boolean {
    return (node.kind === "Path" && node.base.kind === "root") || partsOf(node).some(isRootRead);
  });
}

/** Whether an expression reads the document of the message or a part of it. */
export function readsDocument(node: Planned): boolean {
  return (node.kind === "Path" && node.base.kind === "document") || partsOf(node).some(readsDocument);
}

/** Whether functions of a mapping or its maps read the message, which a mutation changes. */
export function readsMessage(plan: MappingPlan): boolean {
  return nodesIn(plan).some(isMessageRead);
}

function isMessageRead(node: Planned): boolean {
  return node.kind === "Call" && messageReaders.has(node.builtin.name);
}

const messageReaders: ReadonlySet<string> = new Set(["json", "content"]);

/** Whether a mutation reads `this` or the message after a statement may have replaced the document with another root. */
export function readsReplacedDocument(plan: MappingPlan): boolean {
  const { statements } = plan;
  let isReplaced = false;
  const visit = (list: readonly PlannedStatement[]): boolean =>
    list.some((statement) => {
      if (statement.kind === "Choose") {
        const { branches, otherwise } = statement;
        const isTested = isReplaced && branches.some(({ condition }) => readsDocument(condition));
        return isTested || branches.some((branch) => visit(branch.statements)) || visit(otherwise);
      }
      if (isReplaced && readsDocument(statement.value)) return true;
      if (statement.kind === "AssignRoot") isReplaced = true;
      return false;
    });
  return visit(statements) || (isReplaced && readsMessage(plan));
}

/** Whether a function reads the metadata that the mapping assigns. */
export function readsAssignedMetadata({ statements, maps }: MappingPlan): boolean {
  const isRead = (node: Planned): boolean =>
    (node.kind === "Call" && metadataReaders.has(node.builtin.name)) || partsOf(node).some(isRead);
  const all = [statements, ...maps.map((map) => map.statements)].flatMap(expressionsOf);
  return assignsMetadata(statements) && all.some(isRead);
}

const metadataReaders: ReadonlySet<string> = new Set(["meta", "metadata"]);

function assignsMetadata(statements: readonly PlannedStatement[]): boolean {
  return statements.some((statement) =>
    statement.kind === "Choose"
      ? [statement.otherwise, ...statement.branches.map((branch) => branch.statements)].some(assignsMetadata)
      : statement.kind === "AssignMetadata",
  );
}

/** Returns the variables that expressions read. */
export function collectReadSlots(statements: readonly PlannedStatement[]): ReadonlySet<Slot> {
  const found = new Set<Slot>();
  const visit = (node: Planned): void => {
    if (node.kind === "ReadVariable" && node.slot !== undefined) found.add(node.slot);
    if (node.kind === "FindVariable") for (const slot of node.slots) found.add(slot);
    partsOf(node).forEach(visit);
  };
  expressionsOf(statements).forEach(visit);
  return found;
}

/** Returns the outermost expressions of statements, including those inside branches. */
function expressionsOf(statements: readonly PlannedStatement[]): readonly Planned[] {
  return statements.flatMap((statement) => {
    if (statement.kind !== "Choose") return [statement.value];
    const inner = statement.branches.flatMap((branch) => [
      branch.condition,
      ...expressionsOf(branch.statements),
    ]);
    return [...inner, ...expressionsOf(statement.otherwise)];
  });
}

/** Returns the outermost expressions of a script, including those of its maps. */
function expressionsIn(plan: MappingPlan | QueryPlan | TemplatePlan): readonly Planned[] {
  if (plan.kind === "TemplatePlan") return plan.parts.filter((part) => typeof part !== "string");
  const own = plan.kind === "QueryPlan" ? [plan.query] : expressionsOf(plan.statements);
  return [...own, ...plan.maps.flatMap((map) => expressionsOf(map.statements))];
}

/** Returns all expressions of a script and of its maps, outer ones first. */
export function nodesIn(plan: MappingPlan | QueryPlan | TemplatePlan): readonly Planned[] {
  // Plans of equal mappings share their statements.
  const key = plan.kind === "MappingPlan" && plan.maps.length === 0 ? plan.statements : plan;
  const known = knownNodes.get(key);
  if (known !== undefined) return known;
  const nodes: Planned[] = [];
  const add = (node: Planned): void => {
    nodes.push(node);
    partsOf(node).forEach(add);
  };
  expressionsIn(plan).forEach(add);
  knownNodes.set(key, nodes);
  return nodes;
}

/** The expressions of scripts: they are searched a dozen times each. */
const knownNodes = new WeakMap<object, readonly Planned[]>();

/** Returns the request and environment variables that a script reads; a variable may occur more than once. */
export function variablesReadBy(plan: MappingPlan | QueryPlan | TemplatePlan): readonly VariableRead[] {
  return nodesIn(plan).flatMap((node) =>
    node.kind === "VariableText" ? node.parts.filter((part) => typeof part !== "string") : [],
  );
}

function sidesOf(node: Coalesce): readonly Planned[] {
  const decided = decidedSide(node);
  return decided === undefined ? [node.left, node.right] : [decided];
}
