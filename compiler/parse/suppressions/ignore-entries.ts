// Removes `x-gw-ignore` entries from a tree, so that later phases need no knowledge of them, and reads them.

import type { Edit } from "../../diagnostics/diagnostic.ts";
import { removePart } from "../../diagnostics/fixes/entries.ts";
import type { FileRange } from "../../diagnostics/fixes/file-range.ts";
import type { Suppression } from "../../diagnostics/levels.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";
import type { IgnoreEntry } from "../../trees/api.ts";
import {
  type DocumentNode,
  findEntry,
  type ListNode,
  type MapEntry,
  type MapNode,
} from "../../trees/document.ts";
import { findSuppressible } from "./read-comment.ts";

/** The key, which any object of a document may have. */
export const ignoreKey = "x-gw-ignore";

/** A tree without its `x-gw-ignore` entries, and those entries. */
export interface StrippedTree {
  readonly root: DocumentNode;
  readonly ignores: readonly IgnoreEntry[];
}

/** Removes the entries from a tree. A part without entries stays the same object. */
export function takeIgnores(root: DocumentNode): StrippedTree {
  const known = new Map<DocumentNode, DocumentNode>();
  const found = new Map<Span, { readonly entry: MapEntry; readonly isOnly: boolean; covers: FileRange[] }>();
  const stripped = strip(root, root.span);
  const ignores = [...found.values()].map(({ entry, isOnly, covers }) => ({
    value: entry.value,
    keySpan: entry.keySpan,
    isOnly,
    covers,
  }));
  return { root: stripped, ignores };

  function strip(node: DocumentNode, from: Span): DocumentNode {
    if (node.kind === "scalar") return node;
    const before = known.get(node);
    if (before !== undefined) return before;
    const after = node.kind === "list" ? stripList(node) : stripMap(node, from);
    known.set(node, after);
    return after;
  }

  function stripList(list: ListNode): ListNode {
    const items = list.items.map((item) => strip(item, item.span));
    return items.every((item, index) => item === list.items[index]) ? list : { ...list, items };
  }

  function stripMap(map: MapNode, from: Span): MapNode {
    const own = map.entries.filter((entry) => entry.key !== ignoreKey || !note(entry, map, from));
    const entries = own.map((entry) => {
      const value = strip(entry.value, entry.keySpan);
      return value === entry.value ? entry : { ...entry, value };
    });
    const isSame =
      entries.length === map.entries.length && entries.every((entry, index) => entry === map.entries[index]);
    return isSame ? map : { ...map, entries };
  }

  function note(entry: MapEntry, map: MapNode, from: Span): true {
    const noted = found.get(entry.keySpan) ?? { entry, isOnly: map.entries.length === 1, covers: [] };
    noted.covers.push(rangeOf(map, from));
    found.set(entry.keySpan, noted);
    return true;
  }
}

/** Returns the range of an object from its key to its end; without the key if an alias repeats the object elsewhere. */
function rangeOf({ span }: MapNode, from: Span): FileRange {
  const start = from.start <= span.start ? from.start : span.start;
  return { file: span.source.file, start, end: span.end };
}

/** Returns the suppressions of an entry, one for each item of its list. */
export function readIgnore(entry: IgnoreEntry, report: Report): readonly Suppression[] {
  const { value, keySpan } = entry;
  if (value.kind !== "list" || value.items.length === 0) {
    report("GW4115", keySpan, { form: "entry" });
    return [];
  }
  return value.items.flatMap((item) => readItem(item, entry, report));
}

function readItem(item: DocumentNode, entry: IgnoreEntry, report: Report): readonly Suppression[] {
  const code = findEntry(item, "code")?.value;
  if (item.kind !== "map" || code?.kind !== "scalar" || typeof code.value !== "string") {
    report("GW4115", item.kind === "map" ? (item.entries[0]?.keySpan ?? item.span) : item.span, {
      form: "entry",
    });
    return [];
  }
  const text = findEntry(item, "reason")?.value;
  const reason = text?.kind === "scalar" && typeof text.value === "string" ? text.value.trim() : "";
  if (reason === "") report("GW4112", text === undefined ? code.span : text.span, { form: "entry" });
  const found = findSuppressible(code.value, code.span, report);
  if (found === undefined || reason === "") return [];
  const removal = removeItem(item, entry);
  const { covers } = entry;
  return [{ code: found, reason, span: code.span, covers, ...(removal === undefined ? {} : { removal }) }];
}

/** The properties of an `x-gw-ignore` that removing an item needs. */
interface Removable {
  readonly value: DocumentNode;
  readonly keySpan: Span;
  readonly isOnly: boolean;
}

/** Removes `item` from the list. The last item is removed with the key, unless its object contains nothing else. */
function removeItem(item: DocumentNode, { value, keySpan, isOnly }: Removable): Edit | undefined {
  if (value.kind !== "list" || keySpan.end > value.span.start) return undefined;
  const between = keySpan.source.text.slice(keySpan.end, value.span.start);
  // An alias has its value at another place; a value with an anchor is also used elsewhere.
  if (!/^"?\s*:\s*(?:#.*\n\s*)*$/.test(between)) return undefined;
  if (value.items.length > 1) return removePart(item.span, item.span.end, "item");
  return isOnly || between.includes("#") ? undefined : removePart(keySpan, value.span.end, "entry");
}
