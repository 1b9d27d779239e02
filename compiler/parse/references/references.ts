// Follows every `$ref` that a document reaches, across files, and reports those that lead nowhere. The tree
// stays as written; who reads it asks where a node leads. Nothing is ever read over the network.

import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { resolvePath } from "../document/paths.ts";
import { type DocumentNode, findEntry, type MapNode, type ScalarNode } from "../document/tree.ts";
import { type Context, contextUnder } from "./contexts.ts";
import type { Library } from "./library.ts";
import { createNames, type Names } from "./names.ts";
import { parseReference } from "./pointer.ts";

/** Where the references of a document lead. */
export interface References {
  /** What a node stands for: itself, or what its `$ref` leads to in the end; `undefined` if nowhere. */
  resolve(node: DocumentNode): DocumentNode | undefined;
  /** The value under a path of keys, following references at every step. */
  find(node: DocumentNode | undefined, ...path: readonly string[]): DocumentNode | undefined;
}

/** What following references needs. */
export interface FollowOptions {
  readonly library: Library;
  readonly report: Report;
  /** False for documents that came over the network: they may not read files. */
  readonly allowFiles: boolean;
}

interface Following extends FollowOptions {
  readonly names: Names;
}

/** The `$ref` of a node, if it is a reference. */
export function findReference(
  node: DocumentNode,
): { readonly text: string; readonly node: ScalarNode } | undefined {
  const value = findEntry(node, "$ref")?.value;
  return value?.kind === "scalar" && typeof value.value === "string"
    ? { text: value.value, node: value }
    : undefined;
}

/** Loads what `root` refers to, directly and through others, and reports broken references. */
export async function followReferences(root: DocumentNode, given: FollowOptions): Promise<References> {
  const options: Following = { ...given, names: createNames() };
  const targets = new Map<DocumentNode, DocumentNode | undefined>();
  const pending: { readonly node: DocumentNode; readonly context: Context }[] = [
    { node: root, context: "fields" },
  ];
  const visited = new Set<DocumentNode>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, context } = next;
    if (context === "data" || node.kind === "scalar" || visited.has(node)) continue;
    visited.add(node);
    if (node.kind === "map" && findReference(node) !== undefined) {
      const target = await findTarget(node, targets, options);
      if (target !== undefined) pending.push({ node: target, context: "fields" });
    }
    for (const child of childrenOf(node, context)) pending.push(child);
  }
  reportCycles(targets, options.report);
  return createReferences(targets);
}

function childrenOf(node: DocumentNode, context: Context) {
  if (node.kind === "scalar") return [];
  if (node.kind === "list") return node.items.map((item) => ({ node: item, context }));
  return node.entries.map(({ key, value }) => ({
    node: value,
    context: contextUnder(context, key, value.kind === "list"),
  }));
}

function createReferences(targets: ReadonlyMap<DocumentNode, DocumentNode | undefined>): References {
  const references: References = {
    resolve(node) {
      let at: DocumentNode | undefined = node;
      // A chain cannot be longer than all references together, unless it is a circle, which was reported.
      for (let left = targets.size; at !== undefined && targets.has(at); left--) {
        if (left < 0) return undefined;
        at = targets.get(at);
      }
      return at;
    },
    find(node, ...path) {
      let at = node && references.resolve(node);
      for (const key of path) {
        const below: DocumentNode | undefined = childAt(at, key);
        at = below && references.resolve(below);
      }
      return at;
    },
  };
  return references;
}

/** The node a reference names, remembered in `targets`; reports when there is none. */
async function findTarget(
  node: MapNode,
  targets: Map<DocumentNode, DocumentNode | undefined>,
  options: Following,
): Promise<DocumentNode | undefined> {
  if (targets.has(node)) return targets.get(node);
  // Set first, so that a pointer that leads through itself ends.
  targets.set(node, undefined);
  const target = await locateTarget(node, targets, options);
  targets.set(node, target);
  return target;
}

async function locateTarget(
  node: MapNode,
  targets: Map<DocumentNode, DocumentNode | undefined>,
  options: Following,
): Promise<DocumentNode | undefined> {
  const { library, names, report } = options;
  const written = findReference(node);
  if (written === undefined) return undefined;
  const { text: reference } = written;
  const { span } = written.node;
  const { file } = span.source;
  const parsed = parseReference(reference);
  const named = parsed.kind === "place" ? undefined : names.findId(library.rootOf(file), reference);
  if (named !== undefined) return named;
  if (parsed.kind === "remote") report("GW1031", span, { reference });
  if (parsed.kind === "malformed") report("GW1033", span, { reference });
  if (parsed.kind !== "place") return undefined;
  if (parsed.path !== undefined && !options.allowFiles) {
    report("GW1034", span, { reference });
    return undefined;
  }
  const root =
    parsed.path === undefined
      ? library.rootOf(file)
      : (await library.load(resolvePath(file.path, parsed.path), span))?.root;
  if (root === undefined) return undefined;
  if (typeof parsed.place === "string") {
    const found = names.findAnchor(root, parsed.place);
    if (found === undefined) report("GW1030", span, { reference, missing: parsed.place, closest: undefined });
    return found;
  }
  return walkPointer(root, parsed.place, (missing, keys) => {
    report("GW1030", span, { reference, missing, closest: suggest(missing, keys) });
  });

  async function walkPointer(
    from: DocumentNode,
    keys: readonly string[],
    reportMissing: (missing: string, keys: readonly string[]) => void,
  ): Promise<DocumentNode | undefined> {
    let at: DocumentNode = from;
    for (const key of keys) {
      while (childAt(at, key) === undefined && at.kind === "map" && findReference(at) !== undefined) {
        const through = await findTarget(at, targets, options);
        // Where it leads nowhere, that was reported there.
        if (through === undefined) return undefined;
        at = through;
      }
      const below: DocumentNode | undefined = childAt(at, key);
      if (below === undefined) {
        reportMissing(key, at.kind === "map" ? at.entries.map((entry) => entry.key) : []);
        return undefined;
      }
      at = below;
    }
    return at;
  }
}

function childAt(node: DocumentNode | undefined, key: string): DocumentNode | undefined {
  if (node?.kind === "list") return /^(?:0|[1-9]\d*)$/.test(key) ? node.items[Number(key)] : undefined;
  return findEntry(node, key)?.value;
}

/** A reference whose chain of references comes back to it. */
function reportCycles(targets: ReadonlyMap<DocumentNode, DocumentNode | undefined>, report: Report): void {
  for (const node of targets.keys()) {
    const met = new Set<DocumentNode>();
    let at = targets.get(node);
    while (at !== undefined && at !== node && !met.has(at)) {
      met.add(at);
      at = targets.get(at);
    }
    const written = findReference(node);
    if (at === node && written !== undefined) {
      report("GW1032", written.node.span, { reference: written.text });
    }
  }
}
