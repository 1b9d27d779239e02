import type { Span } from "../../../compiler/source/source.ts";
import type { MappingNode } from "../../../compiler/trees/mapping.ts";

/** A tree as JSON, with spans as `start-end` and integers as text. */
export function describeTree(tree: MappingNode): string {
  return `${JSON.stringify(tree, (key, value) => (key === "span" ? describeSpan(value) : plain(key, value)), 1)}\n`;
}

/** A tree as plain data without its spans: equal for trees that mean the same text, laid out differently. */
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
