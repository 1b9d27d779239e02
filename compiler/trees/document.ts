// A YAML or JSON document as data with the source range of every key and value. YAML aliases and merges are resolved: a
// shared node may appear at several places. `$ref`s stay as written (see references/), because schemas may refer to
// themselves.

import type { SourceText, Span } from "../source/source.ts";

export type DocumentNode = ScalarNode | MapNode | ListNode;

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** `5`, `"text"`, `|` blocks: anything other than a map or a list. */
export interface ScalarNode {
  readonly kind: "scalar";
  /** Whole numbers that JavaScript would round are `bigint`. */
  readonly value: null | boolean | number | bigint | string;
  /** The value's text without its quotes or indicators. */
  readonly span: Span;
  /**
   * For strings: the decoded text, with the place of each character in the file, whatever the YAML style (plain,
   * quoted, literal `|`, folded `>`) or JSON escapes. Embedded mappings are parsed from it.
   */
  readonly text: SourceText;
  /** Set on the content of a file that the document names: nothing in it is a variable. */
  readonly isContent?: true;
}

/** `{ key: value }` */
export interface MapNode {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
  readonly span: Span;
  /** Whether it may have an entry `key`, judged without its entries; absent on objects whose entries were read at once. */
  mayHold?(key: string): boolean;
  /**
   * Its value, with which a rule may find out that it need not read the object; `undefined` if it is not at hand, for
   * example because nothing has used it for a while.
   */
  json?(): JsonObject | undefined;
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

/** Returns the entry `key` of a node; `undefined` if the node is no map or has no such entry. */
export function findEntry(node: DocumentNode | undefined, key: string): MapEntry | undefined {
  if (node?.kind !== "map" || node.mayHold?.(key) === false) return undefined;
  const { entries } = node;
  if (entries.length > fewEntries) return indexOf(node).get(key);
  for (const entry of entries) if (entry.key === key) return entry;
  return undefined;
}

/** The number of entries up to which a linear search is as fast as an index. */
const fewEntries = 16;

/** Entries of larger maps by key, created on first use. */
const indexes = new WeakMap<MapNode, ReadonlyMap<string, MapEntry>>();

function indexOf(map: MapNode): ReadonlyMap<string, MapEntry> {
  const index = indexes.get(map) ?? new Map(map.entries.map((entry) => [entry.key, entry]));
  indexes.set(map, index);
  return index;
}

/** Returns the value at a path of keys (and list indexes as text); `undefined` if a part of the path does not exist. */
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

/** Returns the string value of a node; `undefined` if it has none. */
export function findText(node: DocumentNode | undefined, ...path: readonly string[]): string | undefined {
  const found = findNode(node, ...path);
  return found?.kind === "scalar" && typeof found.value === "string" ? found.value : undefined;
}

/** Returns the plain value of a node. Big integers become numbers and lose digits. */
export function toJson(node: DocumentNode): Json {
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "bigint" ? Number(node.value) : node.value;
    case "list":
      return node.items.map(toJson);
    case "map":
      return objectOf(node.entries, toJson);
  }
}

/** Returns an object with the entries of a map; `toValue` returns the value of each. */
export function objectOf(
  entries: readonly MapEntry[],
  toValue: (node: DocumentNode) => Json,
): Record<string, Json> {
  if (!entries.some(({ key }) => beginsWithDigit(key)))
    return Object.fromEntries(entries.map(({ key, value }) => [key, toValue(value)]));
  const object = createSparse();
  for (const { key, value } of entries) {
    const property = { value: toValue(value), configurable: true, enumerable: true, writable: true };
    Object.defineProperty(object, key, property); // also `__proto__`
  }
  return object;
}

function beginsWithDigit(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}

/** The largest name that is a number to V8. */
const largestIndex = 2 ** 32 - 2;

/**
 * Returns an empty object for names that may be numbers. V8 keeps an object with a status such as `404` as an array with
 * room for all smaller numbers, 5 KB, unless the object once had a number so large that it became a hash table.
 */
function createSparse(): Record<string, Json> {
  const object: Record<string, Json> = { [largestIndex]: null };
  Reflect.deleteProperty(object, largestIndex);
  return object;
}

/** Returns `a string`, `a number`, `an array`, …, which fits after "must be an object, not". */
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

/** Returns `streams.intake.input.kafka.topics[0]` for an offset in the file of `root`; empty before the first key. */
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
