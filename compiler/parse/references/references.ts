// Follows every `$ref` that a document reaches, across files, and reports references without a target. The tree stays
// as written; callers look up the target of a node. Never reads over the network.

import type { Report } from "../../diagnostics/sink.ts";
import { offsetsOf } from "../../source/source.ts";
import type { References } from "../../trees/api.ts";
import { type DocumentNode, findEntry, findNode, type MapNode } from "../../trees/document.ts";
import { parseReference } from "../../trees/pointer.ts";
import {
  childAt,
  findReference,
  type Located,
  type LocateOptions,
  locate,
  reportMeant,
  type Targets,
} from "./locate.ts";

/**
 * Loads everything that `root` refers to, directly and indirectly, and reports broken references. `findMisdirected`:
 * returns references that are to have no target; `targetOf` returns the node to which one refers, which may be another
 * reference.
 */
export async function followReferences(
  root: DocumentNode,
  options: LocateOptions,
  findMisdirected: (
    references: References,
    targetOf: (node: DocumentNode) => DocumentNode | undefined,
  ) => readonly DocumentNode[] = () => [],
): Promise<References> {
  const targets: Targets = new Map();
  const pending: { readonly node: DocumentNode; readonly context: FieldContext }[] = [
    { node: root, context: "fields" },
  ];
  const visited = new Set<DocumentNode>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, context } = next;
    if (context === "data" || node.kind === "scalar" || visited.has(node)) continue;
    visited.add(node);
    if (node.kind === "map" && findReference(node) !== undefined) {
      const target = await findTarget(node, targets, options);
      if (target !== undefined) pending.push({ node: target, context });
    }
    for (const child of childrenOf(node, context)) pending.push(child);
  }
  reportCycles(targets, options.report);
  const create = () =>
    createReferences(
      (node) => (targets.has(node) ? { target: targets.get(node) } : undefined),
      (node) => options.library.rootOf(node.span.source.file),
    );
  const misdirected = findMisdirected(create(), (each) => targets.get(each));
  for (const node of misdirected) targets.set(node, undefined);
  return create();
}

/**
 * Like `followReferences`, for a long document for which `refersToItself` is true. Does not follow references to
 * unchanged components again. Returns `undefined`, without reports, if a reference leads to another file after all.
 */
export function followWithin(
  root: DocumentNode,
  { report, ...options }: LocateOptions,
): References | undefined {
  const components = findEntry(root, "components")?.value;
  const kept = (components && followed.get(components)) ?? { targets: new WeakMap(), parts: new WeakSet() };
  if (components !== undefined) followed.set(components, kept);
  const targets: Targets = new Map();
  const byText = new Map<string, DocumentNode>();
  const reports: (() => void)[] = [];
  const following: LocateOptions = { ...options, report: (...found) => reports.push(() => report(...found)) };
  const pending = partsOf(root, "fields", 0);
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (kept.parts.has(part)) continue;
    let isKept = true;
    for (const node of part) {
      const text = findReference(node)?.text ?? "";
      const known = kept.targets.get(node) ?? byText.get(text);
      if (known !== undefined) kept.targets.set(node, known);
      else if (targets.has(node)) isKept = false;
      else if (!findWithin(node, targets, following)) return undefined;
      const target = targets.get(node);
      if (target === undefined) continue;
      const keys = keysOf(text);
      // Something that is data at its own place is not data for the reference to it.
      if (contextAt(root, keys) === "data") pending.push(referencesIn(target, "fields", partDepth));
      else if (keys[0] === "components" && findNode(root, ...keys) === target && !isReference(target)) {
        targets.delete(node);
        kept.targets.set(node, target);
        byText.set(text, target);
        continue;
      }
      isKept = false;
    }
    if (isKept && !part.some((node) => targets.has(node))) kept.parts.add(part);
  }
  reportCycles(targets, following.report);
  for (const again of reports) again();
  return createReferences(
    (node) => {
      const target = kept.targets.get(node);
      return target !== undefined || targets.has(node) ? { target: target ?? targets.get(node) } : undefined;
    },
    onlyRoot,
    true,
  );
}

/** The root of no other file is needed, as no reference leads to one. */
export const onlyRoot = () => undefined;

/** References that lead directly to components, and the parts of documents that contain no others. */
interface Followed {
  readonly targets: WeakMap<DocumentNode, DocumentNode>;
  readonly parts: WeakSet<readonly MapNode[]>;
}

/** Results of following references, cached by the `components` node of the document. */
const followed = new WeakMap<DocumentNode, Followed>();

function isReference(node: DocumentNode): boolean {
  return node.kind === "map" && findReference(node) !== undefined;
}

/** Returns the keys of a pointer; none for other texts. */
function keysOf(text: string): readonly string[] {
  const reference = parseReference(text);
  return reference.kind === "place" && typeof reference.place !== "string" ? reference.place : [];
}

/** Returns the context of the keys at a path of a document. */
function contextAt(root: DocumentNode, keys: readonly string[]): FieldContext {
  let context: FieldContext = "fields";
  let at: DocumentNode | undefined = root;
  for (const key of keys) {
    const below: DocumentNode | undefined = childAt(at, key);
    if (at?.kind === "map") context = contextUnder(context, key, below?.kind === "list");
    at = below;
  }
  return context;
}

/** Follows a reference; returns false if it leads to another file. */
function findWithin(node: MapNode, targets: Targets, options: LocateOptions): boolean {
  if (targets.has(node)) return true;
  // Set first, so that a pointer that leads through itself ends.
  targets.set(node, undefined);
  let located = locate(node, targets, options);
  while (located.kind !== "target") {
    if (located.kind === "file" || !findWithin(located.node, targets, options)) return false;
    located = locate(node, targets, options);
  }
  targets.set(node, located.target);
  return true;
}

/** The depth of the parts of documents whose references are cached: path items, and components of a kind. */
const partDepth = 2;

/** Returns the references of a document by its parts. */
function partsOf(node: DocumentNode, context: FieldContext, depth: number): (readonly MapNode[])[] {
  if (depth === partDepth || isReference(node)) return [referencesIn(node, context, depth)];
  return childrenOf(node, context).flatMap((child) => partsOf(child.node, child.context, depth + 1));
}

/** The references in parts of documents, by the context of their keys. */
const knownReferences = new Map<FieldContext, WeakMap<DocumentNode, readonly MapNode[]>>();

/**
 * Returns the references in a node at `depth` below the root. Caches those of parts and of the nodes directly below
 * them.
 */
function referencesIn(node: DocumentNode, context: FieldContext, depth: number): readonly MapNode[] {
  if (context === "data" || node.kind === "scalar") return none;
  const isPart = depth === partDepth || depth === partDepth + 1;
  const known = isPart ? knownIn(context).get(node) : undefined;
  if (known !== undefined) return known;
  const found: MapNode[] = [];
  if (node.kind === "map" && isReference(node)) found.push(node);
  for (const child of childrenOf(node, context))
    for (const reference of referencesIn(child.node, child.context, depth + 1)) found.push(reference);
  const own = found.length === 0 ? none : found;
  if (isPart) knownIn(context).set(node, own);
  return own;
}

const none: readonly MapNode[] = [];

function knownIn(context: FieldContext): WeakMap<DocumentNode, readonly MapNode[]> {
  const known = knownReferences.get(context) ?? new WeakMap<DocumentNode, readonly MapNode[]>();
  knownReferences.set(context, known);
  return known;
}

function childrenOf(node: DocumentNode, context: FieldContext) {
  if (node.kind === "scalar") return [];
  if (node.kind === "list") return node.items.map((item) => ({ node: item, context }));
  return node.entries.map(({ key, value }) => ({
    node: value,
    context: contextUnder(context, key, value.kind === "list"),
  }));
}

/**
 * Creates references from a function that returns the target of a reference and `undefined` for other nodes, always the
 * same ones.
 */
export function createReferences(
  follow: (node: DocumentNode) => { readonly target: DocumentNode | undefined } | undefined,
  rootOf: References["rootOf"],
  isWithinDocument = false,
): References {
  /** The values at the ends of chains of references, so that a long chain is followed once. */
  const ends = new Map<DocumentNode, DocumentNode | undefined>();
  const references: References = {
    isWithinDocument,
    resolve(node) {
      let at: DocumentNode | undefined = node;
      const first = follow(node);
      if (first === undefined) return node;
      // Most references lead to a value directly.
      if (first.target === undefined || follow(first.target) === undefined) return first.target;
      const met = new Set<DocumentNode>([node]);
      for (let step: typeof first | undefined = first; step !== undefined; step = follow(at)) {
        at = step.target;
        if (at !== undefined && ends.has(at)) at = ends.get(at);
        // A cycle, which was reported.
        else if (at !== undefined && met.has(at)) at = undefined;
        if (at === undefined) break;
        met.add(at);
      }
      for (const each of met) if (each !== at) ends.set(each, at);
      return at;
    },
    follow: (node) => follow(node)?.target,
    rootOf,
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

/** Returns the target of a reference and records it in `targets`. Reports a reference without a target. */
async function findTarget(
  node: MapNode,
  targets: Targets,
  options: LocateOptions,
): Promise<DocumentNode | undefined> {
  if (targets.has(node)) return targets.get(node);
  // Set first, so that a pointer that leads through itself ends.
  targets.set(node, undefined);
  let located = locate(node, targets, options);
  while (located.kind !== "target") {
    if (located.kind === "reference") await findTarget(located.node, targets, options);
    else if (!(await loadFile(located, options))) return undefined;
    located = locate(node, targets, options);
  }
  targets.set(node, located.target);
  return located.target;
}

/** Loads the file of a reference; returns false if it cannot be read, which is reported. */
async function loadFile(
  { path, named, meant }: Extract<Located, { kind: "file" }>,
  { library, report }: LocateOptions,
): Promise<boolean> {
  if (meant === undefined || (await library.findFiles(path)).length > 0)
    return (await library.load(path, named)) !== undefined;
  reportMeant(named.source.text.slice(named.start, named.end), named, meant, report);
  return false;
}

/** Reports references whose chain of references leads back to them. */
function reportCycles(targets: ReadonlyMap<DocumentNode, DocumentNode | undefined>, report: Report): void {
  const done = new Set<DocumentNode>();
  for (const node of targets.keys()) {
    const met = new Set<DocumentNode>();
    let at: DocumentNode | undefined = node;
    while (at !== undefined && !done.has(at) && !met.has(at)) {
      met.add(at);
      at = targets.get(at);
    }
    const path = [...met];
    const isCycle = at !== undefined && met.has(at);
    // All references of the cycle are one mistake, reported at the first in the text.
    const circle = isCycle ? path.slice(path.indexOf(at as DocumentNode)) : [];
    const [first] = circle
      .flatMap((each) => findReference(each) ?? [])
      .toSorted((a, b) => offsetsOf(a.node.span).start - offsetsOf(b.node.span).start);
    if (first !== undefined) report("GW1032", first.node.span, { reference: first.text });
    for (const each of met) done.add(each);
  }
}

/**
 * The meaning of the keys of an object: fields of the format, kinds of components, names chosen by the user, named
 * examples, one example, or plain data.
 */
type FieldContext = "fields" | "components" | "names" | "examples" | "example" | "data";

/** Fields whose objects have names chosen by the user as keys. */
const nameFields = new Set([
  "$defs",
  "callbacks",
  "content",
  "definitions",
  "dependentSchemas",
  "encoding",
  "headers",
  "links",
  "mapping",
  "parameters",
  "pathItems",
  "paths",
  "patternProperties",
  "properties",
  "requestBodies",
  "responses",
  "schemas",
  "securitySchemes",
  "streams",
  "variables",
  "webhooks",
]);

const dataFields = new Set(["const", "default", "enum", "example"]);

/** Returns the context of the value under `key` of an object in `context`. `isList`: whether the value is a list. */
function contextUnder(context: FieldContext, key: string, isList: boolean): FieldContext {
  switch (context) {
    case "data":
      return "data";
    case "names":
      return "fields";
    case "components":
      return key === "examples" ? "examples" : "names";
    case "examples":
      return "example";
    case "example":
      return key === "value" ? "data" : "fields";
    case "fields":
      if (dataFields.has(key) || isForeignExtension(key)) return "data";
      if (key === "examples") return isList ? "data" : "examples";
      if (key === "components") return "components";
      return nameFields.has(key) && !isList ? "names" : "fields";
  }
}

/** Whether a key is an `x-…` extension of another tool, which decides what `$ref` means in it. */
function isForeignExtension(key: string): boolean {
  return key.startsWith("x-") && !key.startsWith("x-gw-") && !key.startsWith("x-tyk-");
}
