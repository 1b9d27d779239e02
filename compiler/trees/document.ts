// A YAML or JSON document as data that knows where every key and value stands. YAML aliases and merges are
// resolved: a shared node may be met at several places. `$ref`s stay as written (see references/), as
// schemas may refer to themselves.

import type { SourceText, Span } from "../source/source.ts";

export type DocumentNode = ScalarNode | MapNode | ListNode;

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** `5`, `"text"`, `|` blocks: anything that is not a map and no list. */
export interface ScalarNode {
  readonly kind: "scalar";
  /** Whole numbers that JavaScript would round are `bigint`. */
  readonly value: null | boolean | number | bigint | string;
  /** The value's text without its quotes or indicators. */
  readonly span: Span;
  /**
   * For strings: the decoded text, each character tied to its place in the file, whatever the YAML style
   * (plain, quoted, literal `|`, folded `>`) or JSON escapes. What an embedded mapping is parsed from.
   */
  readonly text: SourceText;
}

/** `{ key: value }` */
export interface MapNode {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
  readonly span: Span;
}

/** `key: value`; keys are unique within a map. */
export interface MapEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: DocumentNode;
}

/** `[item]` */
export interface ListNode {
  readonly kind: "list";
  readonly items: readonly DocumentNode[];
  readonly span: Span;
}

/** The entry `key` of a node, if it is a map that has it. */
export function findEntry(node: DocumentNode | undefined, key: string): MapEntry | undefined {
  if (node?.kind !== "map") return undefined;
  const { entries } = node;
  if (entries.length > fewEntries) return indexOf(node).get(key);
  for (const entry of entries) if (entry.key === key) return entry;
  return undefined;
}

/** Up to here looking through entries is as fast as an index. */
const fewEntries = 16;

/** Entries of larger maps by key, made when first asked for. */
const indexes = new WeakMap<MapNode, ReadonlyMap<string, MapEntry>>();

function indexOf(map: MapNode): ReadonlyMap<string, MapEntry> {
  const index = indexes.get(map) ?? new Map(map.entries.map((entry) => [entry.key, entry]));
  indexes.set(map, index);
  return index;
}

/** The value under a path of keys (and list indexes as text), if all of it is there. */
export function findNode(
  node: DocumentNode | undefined,
  ...path: readonly string[]
): DocumentNode | undefined {
  let at = node;
  for (const key of path) {
    at = at?.kind === "list" ? at.items[Number(key)] : findEntry(at, key)?.value;
    if (at === undefined) return undefined;
  }
  return at;
}

/** The string a node holds, if it holds one. */
export function findText(node: DocumentNode | undefined, ...path: readonly string[]): string | undefined {
  const found = findNode(node, ...path);
  return found?.kind === "scalar" && typeof found.value === "string" ? found.value : undefined;
}

/** The plain value of a node; big integers become numbers and lose digits. */
export function toJson(node: DocumentNode): Json {
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "bigint" ? Number(node.value) : node.value;
    case "list":
      return node.items.map(toJson);
    case "map":
      return Object.fromEntries(node.entries.map((entry) => [entry.key, toJson(entry.value)]));
  }
}

/** `a string`, `a number`, `an array`: fits after "must be an object, not". */
export function describeNode(node: DocumentNode): string {
  if (node.kind === "map") return "an object";
  if (node.kind === "list") return "an array";
  switch (typeof node.value) {
    case "string":
      return "a string";
    case "boolean":
      return "a boolean";
    case "number":
    case "bigint":
      return "a number";
    default:
      return "null";
  }
}

/** `streams.intake.input.kafka.topics[0]` for an offset in the file of `root`; empty before the first key. */
export function pathAt(root: DocumentNode, offset: number): string {
  let path = "";
  let at: DocumentNode | undefined = root;
  while (at !== undefined) {
    if (at.kind === "map") {
      const entry: MapEntry | undefined = at.entries.findLast(({ keySpan }) => beginsBefore(keySpan, offset));
      if (entry !== undefined) path += path === "" ? entry.key : `.${entry.key}`;
      at = entry?.value;
    } else if (at.kind === "list") {
      const index: number = at.items.findLastIndex(({ span }) => beginsBefore(span, offset));
      if (index >= 0) path += `[${index}]`;
      at = at.items[index];
    } else at = undefined;
  }
  return path;
}

function beginsBefore({ source, start }: DocumentNode["span"], offset: number): boolean {
  return source.offsetInFile(start) <= offset;
}
