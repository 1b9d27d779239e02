// The YAML reader's nodes as a located tree: aliases resolved, `<<` merged, keys as text and unique.

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isSeq,
  type Pair,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { DocumentNode, ListNode, MapNode } from "../../trees/document.ts";
import { maximumDepth, maximumExpansion } from "../document/limits.ts";
import { createPlainScalar } from "../document/nodes.ts";
import { createEntries } from "./entries.ts";
import { createScalar } from "./scalars.ts";

/** A node with what aliases to it cost. */
interface Built {
  readonly node: DocumentNode;
  readonly size: number;
  readonly height: number;
}

/** The tree of a document that was read without syntax errors. */
export function buildTree(file: SourceText, document: Document.Parsed, report: Report): DocumentNode {
  const anchors = new Map<string, Built | "unfinished">();
  let expansion = 0;
  return build(document.contents, 0).node;

  function build(node: ParsedNode | null, depth: number): Built {
    if (node === null) return leaf(createPlainScalar(file, null, 0, 0));
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

  function buildMap(map: YAMLMap.Parsed, depth: number): Built {
    const children: Built[] = [];
    const entries = createEntries(file, map, report, (pair: Pair) => {
      const child = build(pair.value as ParsedNode | null, depth + 1);
      children.push(child);
      return pair.value === null ? emptyAfter(pair) : child.node;
    });
    return measure({ kind: "map", entries, span: collectionSpan(map) } satisfies MapNode, children);
  }

  function buildList(list: YAMLSeq.Parsed, depth: number): Built {
    const children = list.items.map((item) => build(item, depth + 1));
    const items = children.map((child) => child.node);
    return measure({ kind: "list", items, span: collectionSpan(list) } satisfies ListNode, children);
  }

  function buildScalar(scalar: Scalar.Parsed): Built {
    const { value } = scalar;
    if (typeof value === "string" || typeof value === "boolean" || value === null) {
      return leaf(createScalar(file, scalar, value));
    }
    if (typeof value === "bigint") return leaf(createScalar(file, scalar, narrow(value)));
    if (typeof value === "number" && Number.isFinite(value)) return leaf(createScalar(file, scalar, value));
    const span = spanOf(file, scalar.range[0], scalar.range[1]);
    const written = file.text.slice(span.start, span.end);
    if (typeof value === "number") report("GW1020", span, { written });
    else report("GW1018", span, { tag: scalar.tag ?? written });
    return leaf(createScalar(file, scalar, null));
  }

  function buildAlias(alias: Alias.Parsed, depth: number): Built {
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
    return leaf(createPlainScalar(file, null, span.start, span.end));
  }

  /** `key:` with nothing after it: null, right behind the key. */
  function emptyAfter(pair: Pair): DocumentNode {
    const key = pair.key as ParsedNode | null;
    const end = key?.range[1] ?? 0;
    return createPlainScalar(file, null, end, end);
  }

  function collectionSpan(node: YAMLMap.Parsed | YAMLSeq.Parsed): Span {
    return spanOf(file, node.range[0], findEnd(file, node));
  }
}

function leaf(node: DocumentNode): Built {
  return { node, size: 1, height: 0 };
}

function measure(node: DocumentNode, children: readonly Built[]): Built {
  let size = 1;
  let height = 0;
  for (const child of children) {
    size += child.size;
    height = Math.max(height, child.height);
  }
  return { node, size, height: height + 1 };
}

/** Whole numbers are read without loss; those that a number holds exactly become one. */
function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Where a node's text ends; block collections of the reader run on into the blank lines after them. */
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
