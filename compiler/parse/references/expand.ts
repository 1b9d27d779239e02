// Expands a part of a document to a tree without references, with their targets in their place. Nodes keep their own
// files. `schema` values stay as written, because schemas may refer to themselves.

import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";
import type { References } from "../../trees/api.ts";
import type { DocumentNode, ListNode, MapEntry, MapNode } from "../../trees/document.ts";
import { maximumDepth, maximumExpansion } from "../document/limits.ts";
import { type SizedNode, sizedLeaf, sizedNode } from "../document/sized-node.ts";
import { findReference } from "./locate.ts";

/** Replaces references by their targets. */
export interface Expander {
  /**
   * Returns the expanded node; `undefined` if a reference in it has no target, which was reported when it was followed.
   */
  expand(node: DocumentNode): DocumentNode | undefined;
}

/** Returns an expander that caches its results, so that shared parts stay shared. */
export function createExpander(references: References, report: Report): Expander {
  const known = new Map<DocumentNode, SizedNode | "broken" | "unfinished">();
  let expansion = 0;
  return { expand: (node) => expandNode(node, 0)?.node };

  function expandNode(node: DocumentNode, depth: number): SizedNode | undefined {
    if (node.kind === "scalar") return sizedLeaf(node);
    const before = known.get(node);
    if (before === "broken" || before === "unfinished") return undefined;
    if (before !== undefined) return before;
    known.set(node, "unfinished");
    const expanded = node.kind === "list" ? expandList(node, depth) : expandMap(node, depth);
    known.set(node, expanded ?? "broken");
    return expanded;
  }

  function expandMap(map: MapNode, depth: number): SizedNode | undefined {
    const reference = findReference(map);
    const own = reference === undefined ? map.entries : map.entries.filter((entry) => entry.key !== "$ref");
    const parts = own.map((entry) => expandEntry(entry, depth));
    if (!parts.every((part) => part !== undefined)) return undefined;
    const isSame = own.every(({ value }, index) => value === parts[index]?.node);
    const entries = isSame ? own : own.map((entry, index) => replaceValue(entry, parts[index]?.node));
    if (reference === undefined) return sizedNode(isSame ? map : { ...map, entries }, parts);
    const target = expandReference(map, reference.text, reference.node.span, depth);
    if (target === undefined || entries.length === 0) return target;
    return sizedNode(addEntries(target.node, entries), [target, ...parts]);
  }

  function expandEntry({ key, value }: MapEntry, depth: number): SizedNode | undefined {
    return key === "schema" ? sizedLeaf(value) : expandNode(value, depth + 1);
  }

  function expandReference(map: MapNode, text: string, span: Span, depth: number): SizedNode | undefined {
    const target = references.resolve(map);
    if (target === undefined) return undefined;
    if (known.get(target) === "unfinished") {
      report("GW1032", span, { reference: text });
      return undefined;
    }
    const expanded = depth > maximumDepth ? undefined : expandNode(target, depth);
    if (depth > maximumDepth || (expanded !== undefined && depth + expanded.height > maximumDepth)) {
      report("GW1007", span, { limit: maximumDepth });
      return undefined;
    }
    expansion += expanded?.size ?? 0;
    if (expansion <= maximumExpansion) return expanded;
    report("GW1015", span, { limit: maximumExpansion });
    return undefined;
  }

  function expandList(list: ListNode, depth: number): SizedNode | undefined {
    const parts = list.items.map((item) => expandNode(item, depth + 1));
    if (!parts.every((part) => part !== undefined)) return undefined;
    const isSame = parts.every((part, index) => part.node === list.items[index]);
    return sizedNode(isSame ? list : { ...list, items: parts.map((part) => part.node) }, parts);
  }
}

function replaceValue(entry: MapEntry, value: DocumentNode | undefined): MapEntry {
  return value === undefined || value === entry.value ? entry : { ...entry, value };
}

/** Adds the entries next to a `$ref` to its target. They take precedence over those of the target. */
function addEntries(target: DocumentNode, own: readonly MapEntry[]): DocumentNode {
  if (target.kind !== "map") return target;
  const keys = new Set(own.map((entry) => entry.key));
  return { ...target, entries: [...target.entries.filter((entry) => !keys.has(entry.key)), ...own] };
}
