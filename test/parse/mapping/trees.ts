import type { Span } from "../../../compiler/source/source.ts";
import type { MappingNode } from "../../../compiler/trees/mapping.ts";

/** Returns a tree as JSON, with source ranges as `start-end` and integers as text. */
export function describeTree(tree: MappingNode): string {
  return `${JSON.stringify(tree, (key, value) => (key === "span" ? describeSpan(value) : plain(key, value)), 1)}\n`;
}

/** Returns a tree as plain data without source ranges: equal for texts that differ only in layout. */
export function shapeOf(tree: MappingNode | undefined): unknown {
  if (tree === undefined) return undefined;
  return JSON.parse(JSON.stringify(tree, (key, value) => (key === "span" ? undefined : plain(key, value))));
}

function plain(key: string, value: unknown): unknown {
  if (key === "source") return undefined;
  return typeof value === "bigint" ? String(value) : value;
}

function describeSpan({ start, end }: Span): string {
  return `${start}-${end}`;
}
