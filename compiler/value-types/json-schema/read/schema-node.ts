// The view of a schema that the reader needs, whatever its source: a document with source ranges, or plain data.

import type { Span } from "../../../source/source.ts";

/** A place in a schema: a schema itself, or the value of one of its keywords. */
export interface SchemaNode {
  /** The same object for the same place, so that recursive schemas are recognised. */
  readonly identity: object;
  readonly kind: "scalar" | "map" | "list";
  /**
   * The plain value, created on access, so only use it for small values. Whole numbers that JavaScript would round may
   * be `bigint`.
   */
  readonly value: unknown;
  /** Returns the value of a keyword; `undefined` if this is no object or has no such keyword. */
  get(keyword: string): SchemaNode | undefined;
  /** Returns the entries of an object in order; empty for other values. */
  entries(): readonly SchemaEntry[];
  /** Returns the items of a list; empty for other values. */
  items(): readonly SchemaNode[];
  /** Returns the final target of the `$ref` or `$dynamicRef` of this schema; `undefined` if it is unknown. */
  target(keyword: "$ref" | "$dynamicRef"): SchemaNode | undefined;
}

/** A key of an object in a schema, with its value. */
export interface SchemaEntry {
  readonly name: string;
  readonly node: SchemaNode;
  /** The place of the key. */
  readonly span?: Span;
}

/** Whether this is the schema that accepts no value. */
export function isFalse(node: SchemaNode): boolean {
  return node.kind === "scalar" && node.value === false;
}

/** Returns the text under a keyword; `undefined` if there is none. */
export function textOf(node: SchemaNode, keyword: string): string | undefined {
  const found = node.get(keyword);
  return found?.kind === "scalar" && typeof found.value === "string" ? found.value : undefined;
}
