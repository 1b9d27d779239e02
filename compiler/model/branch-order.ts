// Determines the tiers in which the branches of a `workflow` run. A branch runs after the branches that write what it
// reads.

import type { ComponentNode } from "../trees/api.ts";
import { literalText } from "../trees/fields.ts";
import type { Expression, Mapping } from "../trees/mapping.ts";
import { walk } from "../trees/walk.ts";
import { type OptionMember, optionsNamed } from "./options.ts";

/** Tiers in the order in which they run, or the branches that wait for each other. */
export type BranchOrder =
  | { readonly tiers: readonly (readonly string[])[] }
  | { readonly circular: readonly string[] };

type Path = readonly string[];

interface Branch {
  readonly name: string;
  /** The parts of the message that `request_map` reads. */
  readonly reads: readonly Path[];
  /** The parts that `result_map` writes. */
  readonly writes: readonly Path[];
}

const workflowOptions = optionsNamed(["branches", "order"]);
const branchOptions = optionsNamed(["request_map", "result_map"]);

/** Returns the names of a workflow's branches, in the order written. */
export function branchNames(workflow: ComponentNode): readonly string[] {
  return membersOf(workflow).map(({ name }) => name);
}

function membersOf(workflow: ComponentNode): readonly OptionMember[] {
  return workflowOptions(workflow)?.branches.members ?? [];
}

function branchesOf(workflow: ComponentNode): Branch[] {
  return membersOf(workflow).map((branch) => {
    const { request_map, result_map } = branchOptions(branch) ?? {};
    const [request, result] = [request_map?.mapping?.mapping, result_map?.mapping?.mapping];
    return {
      name: branch.name,
      reads: request ? readsOf(request) : [],
      writes: result ? writesOf(result) : [],
    };
  });
}

/** Returns each pair of branches in which one reads a value that the other one writes. */
export function dependencies(
  workflow: ComponentNode,
): readonly { readonly reader: string; readonly writer: string }[] {
  const branches = branchesOf(workflow);
  return branches.flatMap((reader) =>
    branches
      .filter((writer) => writer !== reader && feeds(writer, reader))
      .map((writer) => ({ reader: reader.name, writer: writer.name })),
  );
}

/** Returns the order that follows from the mappings of a workflow's branches. */
export function orderBranches(workflow: ComponentNode): BranchOrder {
  let left = branchesOf(workflow);
  const tiers: (readonly string[])[] = [];
  while (left.length > 0) {
    const waiting = left.filter((branch) => left.some((other) => other !== branch && feeds(other, branch)));
    if (waiting.length === left.length) return { circular: left.map(({ name }) => name) };
    tiers.push(left.filter((branch) => !waiting.includes(branch)).map(({ name }) => name));
    left = waiting;
  }
  return { tiers };
}

/**
 * Returns the branches in the order in which they run. Branches of a cycle, or not in `order`, keep the order written.
 */
export function branchesInOrder(workflow: ComponentNode): readonly OptionMember[] {
  const members = membersOf(workflow);
  const derived = orderBranches(workflow);
  const written = branchOrderWritten(workflow);
  const names = written.length > 0 ? written : "circular" in derived ? [] : derived.tiers.flat();
  const ordered = names.flatMap((name) => members.find((each) => each.name === name) ?? []);
  return [...ordered, ...members.filter((each) => !ordered.includes(each))];
}

function branchOrderWritten(workflow: ComponentNode): readonly string[] {
  const tiers = workflowOptions(workflow)?.order.items ?? [];
  return tiers.flatMap((tier) =>
    tier.kind === "List" ? tier.items.flatMap((name) => literalText(name) ?? []) : [],
  );
}

/** Whether a branch reads something at or below a place that the other one writes. */
function feeds({ writes }: Branch, { reads }: Branch): boolean {
  return writes.some((written) => reads.some((read) => written.every((key, at) => read[at] === key)));
}

function writesOf(mapping: Mapping): readonly Path[] {
  const paths: Path[] = [];
  walk(mapping, { Assign: ({ target }) => void paths.push(target.map(({ text }) => text)) });
  return paths;
}

/** Returns `this.a.b`, `a.b` and `json("a.b")`. Reads in maps and lambdas count as reads of the message. */
function readsOf(mapping: Mapping): readonly Path[] {
  const paths: Path[] = [];
  const add = (path: Path | undefined): void => {
    if (path !== undefined) paths.push(path);
  };
  walk(mapping, {
    FieldAccess: (node) => add(pathOf(node)),
    FunctionCall({ name, args }) {
      const path = args[0]?.value;
      if (name.text === "json" && path?.kind === "StringLiteral") add(path.value.split("."));
    },
  });
  return paths;
}

function pathOf(node: Expression): Path | undefined {
  if (node.kind === "This") return [];
  if (node.kind === "Group") return pathOf(node.inner);
  if (node.kind !== "FieldAccess") return undefined;
  const receiver = pathOf(node.receiver);
  return receiver && [...receiver, node.name.text];
}
