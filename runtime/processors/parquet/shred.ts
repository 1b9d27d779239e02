// Rows taken apart into columns: levels say where an entry begins a new element and how much of its path is there
// (the format's "Nested Encoding", after Dremel).

import type { Value } from "../../message/value.ts";
import type { ParquetNode, Stored } from "./columns.ts";

/** What all rows have in one column. */
export interface Shredded {
  /** From the root to the column. */
  readonly path: readonly ParquetNode[];
  /** One for each entry; `undefined` where there is none. */
  readonly values: (Stored | undefined)[];
  readonly definitions: number[];
  readonly repetitions: number[];
  /** The definition level of an entry that is there. */
  readonly deepest: number;
}

/** The columns of rows. Throws a `MappingError` where a row does not fit the schema. */
export function shred(root: ParquetNode, rows: readonly Value[]): readonly Shredded[] {
  const columns = new Map<ParquetNode, Shredded>();
  prepare(root, [], 0, columns);
  for (const row of rows) putContent(root, row, { definition: 0, repetition: 0, depth: 0 }, columns);
  return [...columns.values()];
}

function prepare(
  node: ParquetNode,
  before: readonly ParquetNode[],
  deepest: number,
  columns: Map<ParquetNode, Shredded>,
): void {
  const path = [...before, node];
  const own = before.length > 0 && node.element.repetition_type !== "REQUIRED" ? deepest + 1 : deepest;
  if (node.store !== undefined)
    columns.set(node, { path, values: [], definitions: [], repetitions: [], deepest: own });
  for (const child of node.children) prepare(child, path, own, columns);
}

interface Levels {
  readonly definition: number;
  readonly repetition: number;
  /** How many repeated nodes lie around it. */
  readonly depth: number;
}

type Columns = ReadonlyMap<ParquetNode, Shredded>;

function put(node: ParquetNode, given: Value, levels: Levels, columns: Columns): void {
  const { definition, repetition, depth } = levels;
  const kind = node.element.repetition_type;
  if (kind === "OPTIONAL") {
    if (given === null) putNothing(node, levels, columns);
    else putContent(node, given, { ...levels, definition: definition + 1 }, columns);
    return;
  }
  const value = given ?? node.empty;
  if (kind !== "REPEATED") {
    putContent(node, value, levels, columns);
    return;
  }
  const elements = node.elementsOf(value);
  if (elements.length === 0) putNothing(node, levels, columns);
  for (const [index, element] of elements.entries()) {
    const own = {
      definition: definition + 1,
      repetition: index === 0 ? repetition : depth + 1,
      depth: depth + 1,
    };
    putContent(node, element, own, columns);
  }
}

function putContent(node: ParquetNode, value: Value, levels: Levels, columns: Columns): void {
  if (node.store === undefined)
    for (const [index, child] of node.children.entries())
      put(child, node.pick(value, index), levels, columns);
  else append(node, node.store(value), levels, columns);
}

function putNothing(node: ParquetNode, levels: Levels, columns: Columns): void {
  if (node.store !== undefined) append(node, undefined, levels, columns);
  for (const child of node.children) putNothing(child, levels, columns);
}

function append(node: ParquetNode, value: Stored | undefined, levels: Levels, columns: Columns): void {
  const column = columns.get(node);
  column?.values.push(value);
  column?.definitions.push(levels.definition);
  column?.repetitions.push(levels.repetition);
}
