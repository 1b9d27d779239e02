// Builds a tree with source ranges from the nodes of the YAML reader. Resolves aliases, converts keys to text, rejects
// duplicate keys, and replaces `<<` by the entries that it merges.

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type ParsedNode,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { DocumentNode, ListNode, MapEntry, MapNode } from "../../trees/document.ts";
import { maximumDepth, maximumExpansion } from "../document/limits.ts";
import { createPlainScalar } from "../document/nodes.ts";
import { type SizedNode, sizedLeaf, sizedNode } from "../document/sized-node.ts";
import { createScalar } from "./scalars.ts";

/** A tree, and whether its document has anchors, so that parts of it may be repeated. */
interface BuiltTree {
  readonly tree: DocumentNode;
  readonly repeats: boolean;
}

/** Returns the tree of a document that was read without syntax errors. */
export function buildTree(file: SourceText, document: Document.Parsed, report: Report): BuiltTree {
  const anchors = new Map<string, SizedNode | "unfinished">();
  let expansion = 0;
  const tree = build(document.contents, 0).node;
  return { tree, repeats: anchors.size > 0 };

  function build(node: ParsedNode | null, depth: number): SizedNode {
    if (node === null) return sizedLeaf(createPlainScalar(file, null, 0, 0));
    if (isAlias(node)) return buildAlias(node, depth);
    if (node.anchor !== undefined) anchors.set(node.anchor, "unfinished");
    const built = isMap(node)
      ? buildMap(node, depth)
      : isSeq(node)
        ? buildList(node, depth)
        : buildScalar(node);
    if (node.anchor !== undefined) anchors.set(node.anchor, built);
    return built;
  }

  function buildMap(map: YAMLMap.Parsed, depth: number): SizedNode {
    const children: SizedNode[] = [];
    const entries = createEntries(file, map, report, (pair: Pair) => {
      const child = build(pair.value as ParsedNode | null, depth + 1);
      children.push(child);
      return pair.value === null ? emptyAfter(pair) : child.node;
    });
    return sizedNode({ kind: "map", entries, span: collectionSpan(map) } satisfies MapNode, children);
  }

  function buildList(list: YAMLSeq.Parsed, depth: number): SizedNode {
    const children = list.items.map((item) => build(item, depth + 1));
    const items = children.map((child) => child.node);
    return sizedNode({ kind: "list", items, span: collectionSpan(list) } satisfies ListNode, children);
  }

  function buildScalar(scalar: Scalar.Parsed): SizedNode {
    const { value } = scalar;
    if (typeof value === "string" || typeof value === "boolean" || value === null) {
      return sizedLeaf(createScalar(file, scalar, value));
    }
    if (typeof value === "bigint") return sizedLeaf(createScalar(file, scalar, narrow(value)));
    if (typeof value === "number" && Number.isFinite(value))
      return sizedLeaf(createScalar(file, scalar, value));
    const span = spanOf(file, scalar.range[0], scalar.range[1]);
    const written = file.text.slice(span.start, span.end);
    if (typeof value === "number") report("GW1020", span, { written });
    else report("GW1018", span, { tag: scalar.tag ?? written });
    return sizedLeaf(createScalar(file, scalar, null));
  }

  function buildAlias(alias: Alias.Parsed, depth: number): SizedNode {
    const span = spanOf(file, alias.range[0], alias.range[1]);
    const name = alias.source;
    const target = anchors.get(name);
    if (target === undefined) {
      report("GW1014", span, { name, ...nearest(name, anchors.keys()) });
    } else if (target === "unfinished") {
      report("GW1019", span, { name });
    } else if (depth + target.height > maximumDepth) {
      report("GW1007", span, { limit: maximumDepth });
    } else {
      const before = expansion;
      expansion += target.size;
      if (expansion <= maximumExpansion) return target;
      if (before <= maximumExpansion) report("GW1015", span, { limit: maximumExpansion });
    }
    return sizedLeaf(createPlainScalar(file, null, span.start, span.end));
  }

  /** Returns the value of `key:` without a value: null, immediately after the key. */
  function emptyAfter(pair: Pair): DocumentNode {
    const key = pair.key as ParsedNode | null;
    const end = key?.range[1] ?? 0;
    return createPlainScalar(file, null, end, end);
  }

  function collectionSpan(node: YAMLMap.Parsed | YAMLSeq.Parsed): Span {
    return spanOf(file, node.range[0], findEnd(file, node));
  }
}

/** Converts a whole number to a `number` if that is exact. All are read as bigints to lose nothing. */
function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Returns the end of a node's text. The reader extends block collections into the blank lines after them. */
function findEnd(file: SourceText, node: ParsedNode): number {
  let last: ParsedNode = node;
  while ((isMap(last) || isSeq(last)) && last.flow !== true) {
    const item: unknown = last.items.at(-1);
    if (item === undefined) break;
    const pair = isSeq(last) ? undefined : (item as Pair<ParsedNode, ParsedNode | null>);
    last = pair === undefined ? (item as ParsedNode) : (pair.value ?? pair.key);
  }
  const end = last.range[1];
  return node.range[0] + file.text.slice(node.range[0], end).trimEnd().length;
}

/**
 * Returns the entries in the order written. Merged entries appear at the place of `<<`, and the map's own entries
 * override them. Calls `buildValue` once for each pair, in order.
 */
function createEntries(
  file: SourceText,
  map: YAMLMap.Parsed,
  report: Report,
  buildValue: (pair: Pair) => DocumentNode,
): readonly MapEntry[] {
  const entries: (MapEntry & { readonly isMerged?: boolean })[] = [];
  const own = new Map<string, Span>();
  for (const pair of map.items) {
    const value = buildValue(pair);
    if (isMergeKey(pair.key)) {
      for (const entry of findMerged(value, pair, file, report)) entries.push({ ...entry, isMerged: true });
      continue;
    }
    const key = readKey(file, pair.key, report);
    if (key === undefined) continue;
    const first = own.get(key.text);
    if (first === undefined) {
      own.set(key.text, key.span);
      entries.push({ key: key.text, keySpan: key.span, value });
    } else {
      report("GW1012", key.span, { key: key.text }, { span: first, message: "The first one is here." });
    }
  }
  return entries.some((entry) => entry.isMerged) ? settleMerged(entries, own) : entries;
}

/** Removes overridden entries: own entries override merged ones, and earlier merged ones override later ones. */
function settleMerged(
  entries: readonly (MapEntry & { readonly isMerged?: boolean })[],
  own: ReadonlyMap<string, Span>,
): readonly MapEntry[] {
  const merged = new Set<string>();
  return entries.flatMap(({ isMerged, ...entry }) => {
    if (isMerged !== true) return [entry];
    if (own.has(entry.key) || merged.has(entry.key)) return [];
    merged.add(entry.key);
    return [entry];
  });
}

function findMerged(value: DocumentNode, pair: Pair, file: SourceText, report: Report): readonly MapEntry[] {
  const sources = value.kind === "list" ? value.items : [value];
  const isEveryMap = sources.every((source): source is MapNode => source.kind === "map");
  if (isEveryMap) return sources.flatMap((source) => source.entries);
  // An alias without a target has been reported.
  if (isAlias(pair.value) && value.kind === "scalar" && value.value === null) return [];
  report("GW1017", spanOfNode(file, pair.value), {});
  return [];
}

function isMergeKey(key: unknown): boolean {
  if (!isScalar(key)) return false;
  return typeof key.value === "symbol" || (key.type === Scalar.PLAIN && key.value === "<<");
}

/** Returns a key as text, as in JSON: a response code `200` becomes `"200"`, as written. */
function readKey(
  file: SourceText,
  key: unknown,
  report: Report,
): { readonly text: string; readonly span: Span } | undefined {
  if (!isScalar(key) || !key.range) {
    const span = spanOfNode(file, key);
    // `{{ NAME }}`, a placeholder of other template tools.
    const isPlaceholder = file.text.charAt(span.start) === "{" && file.text.charAt(span.start - 1) === "{";
    report("GW1016", span, { isPlaceholder });
    return undefined;
  }
  const isQuoted = key.type === Scalar.QUOTE_SINGLE || key.type === Scalar.QUOTE_DOUBLE;
  const margin = isQuoted ? 1 : 0;
  const span = spanOf(file, key.range[0] + margin, key.range[1] - margin);
  return { text: typeof key.value === "string" ? key.value : (key.source ?? ""), span };
}

function spanOfNode(file: SourceText, node: unknown): Span {
  const range = (node as ParsedNode | null)?.range;
  if (!range) return spanOf(file, 0, 0);
  return spanOf(file, range[0], range[0] + file.text.slice(range[0], range[1]).trimEnd().length);
}
