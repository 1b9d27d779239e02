// What the reader needs to know of a schema, wherever it comes from: a document with places, or plain data.

import type { Span } from "../../../source/source.ts";

/** A place in a schema: a schema itself, or the value of one of its keywords. */
export interface SchemaNode {
  /** The same object for the same place, so that schemas that contain themselves are known again. */
  readonly identity: object;
  readonly kind: "scalar" | "map" | "list";
  /** The plain value, made when asked for, so ask for what is small; whole numbers that JavaScript would round may be `bigint`. */
  readonly value: unknown;
  /** The value of a keyword, if this is an object that has it. */
  get(keyword: string): SchemaNode | undefined;
  /** Of an object, in order; of anything else none. */
  entries(): readonly SchemaEntry[];
  /** Of a list; of anything else none. */
  items(): readonly SchemaNode[];
  /** Where the `$ref` or `$dynamicRef` of this schema leads, in the end; `undefined` if nowhere known. */
  target(keyword: "$ref" | "$dynamicRef"): SchemaNode | undefined;
}

/** A key of an object in a schema, with its value. */
export interface SchemaEntry {
  readonly name: string;
  readonly node: SchemaNode;
  /** Of the key. */
  readonly span?: Span;
}

/** Whether this is the schema that lets nothing pass. */
export function isFalse(node: SchemaNode): boolean {
  return node.kind === "scalar" && node.value === false;
}

/** The text under a keyword, if it is one. */
export function textOf(node: SchemaNode, keyword: string): string | undefined {
  const found = node.get(keyword);
  return found?.kind === "scalar" && typeof found.value === "string" ? found.value : undefined;
}
