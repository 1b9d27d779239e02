// Finds the node that a `$ref` refers to, or what has to be followed or loaded first. Synchronous: loads nothing
// itself.

import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import { type DocumentNode, findEntry, type MapNode, type ScalarNode } from "../../trees/document.ts";
import { parseReference, type Reference } from "../../trees/pointer.ts";
import { resolvePath } from "../document/paths.ts";
import type { Library } from "./library.ts";
import type { NameIndex } from "./names.ts";

/** The dependencies and options of locating. */
export interface LocateOptions {
  readonly library: Library;
  readonly names: NameIndex;
  readonly report: Report;
  /** False for documents that came over the network: they may not read files. */
  readonly allowFiles: boolean;
}

/** The targets of references that were followed; `undefined` for references without a target, which were reported. */
export type Targets = Map<DocumentNode, DocumentNode | undefined>;

/** The target, or the reference to follow or the file to load before the next attempt. */
export type Located =
  | { readonly kind: "target"; readonly target: DocumentNode | undefined }
  | { readonly kind: "reference"; readonly node: MapNode }
  /** `meant`: the place in the document that the reference stands for if there is no such file. */
  | { readonly kind: "file"; readonly path: string; readonly named: Span; readonly meant?: string };

const nowhere: Located = { kind: "target", target: undefined };

/** Returns the `$ref` of a node if it is a reference. */
export function findReference(
  node: DocumentNode,
): { readonly text: string; readonly node: ScalarNode } | undefined {
  const value = findEntry(node, "$ref")?.value;
  return value?.kind === "scalar" && typeof value.value === "string"
    ? { text: value.value, node: value }
    : undefined;
}

/** Finds the target of the reference `node`. Reports a reference that certainly has no target. */
export function locate(node: MapNode, targets: Targets, options: LocateOptions): Located {
  const { library, names, report } = options;
  const written = findReference(node);
  if (written === undefined) return nowhere;
  const { text: reference } = written;
  const { span } = written.node;
  const { file } = span.source;
  const parsed = parseOnce(written.node, reference);
  const named = parsed.kind === "place" ? undefined : names.findId(library.rootOf(file), reference);
  if (named !== undefined) return { kind: "target", target: named };
  if (parsed.kind === "remote") report("GW1031", span, { reference });
  if (parsed.kind === "malformed") report("GW1033", span, { reference });
  if (parsed.kind !== "place") return nowhere;
  if (parsed.path !== undefined && !options.allowFiles) {
    report("GW1034", span, { reference });
    return nowhere;
  }
  const meant = placeMeant(parsed.path, reference, library.rootOf(file));
  if (meant !== undefined && parsed.path === undefined) {
    reportMeant(reference, span, meant, report);
    return nowhere;
  }
  const path = parsed.path === undefined ? file.path : resolvePath(file.path, parsed.path);
  const root = parsed.path === undefined ? library.rootOf(file) : library.find(path)?.root;
  if (root === undefined) {
    if (parsed.path === undefined) return nowhere;
    return { kind: "file", path, named: span, ...(meant !== undefined && { meant }) };
  }
  if (typeof parsed.place !== "string") return walkPointer(root, parsed.place, written, targets, report);
  const target = names.findAnchor(root, parsed.place);
  if (target === undefined) report("GW1030", span, { reference, missing: parsed.place, closest: undefined });
  return { kind: "target", target };
}

/** Reports a reference that leads nowhere, and the place in the document that it stands for. */
export function reportMeant(reference: string, span: Span, meant: string, report: Report): void {
  report("GW1030", span, { reference, missing: reference, closest: meant });
}

/** Cache by the texts of references: an editor checks again after each change of another part of a document. */
const knownReferences = new WeakMap<ScalarNode, Reference>();

function parseOnce(node: ScalarNode, text: string): Reference {
  const parsed = knownReferences.get(node) ?? parseReference(text);
  knownReferences.set(node, parsed);
  return parsed;
}

/**
 * Returns the place in the document that a reference without `#`, to `definitions` of another version, or by the name of
 * a component alone, stands for: `#/components/schemas/Order` for `/components/schemas/Order` and for `Order`.
 */
function placeMeant(
  path: string | undefined,
  reference: string,
  root: DocumentNode | undefined,
): string | undefined {
  if (root === undefined) return undefined;
  // The name of a file mostly has a dot.
  if (/^\w+$/.test(reference)) {
    const components = childAt(root, "components");
    const sections = components?.kind === "map" ? components.entries : [];
    const section = sections.find(
      ({ key, value }) => parts.includes(key) && findEntry(value, reference) !== undefined,
    );
    return section && `#/components/${section.key}/${reference}`;
  }
  const [, name] = /^#\/definitions\/([^/]+)$/.exec(reference) ?? [];
  const isOwn = name !== undefined && childAt(root, "definitions") !== undefined;
  const written = name !== undefined && !isOwn ? `components/schemas/${name}` : path?.replace(/^\//, "");
  if (written?.startsWith("components/") !== true || reference.includes("#", 1)) return undefined;
  let at: DocumentNode | undefined = root;
  for (const key of written.split("/")) at = childAt(at, key);
  return at === undefined ? undefined : `#/${written}`;
}

/** The parts of a document that references lead through. */
const parts: readonly string[] = [
  ...["components", "paths", "schemas", "responses", "parameters", "examples", "requestBodies", "headers"],
  ...["securitySchemes", "links", "callbacks", "pathItems"],
];

function walkPointer(
  root: DocumentNode,
  keys: readonly string[],
  written: { readonly text: string; readonly node: ScalarNode },
  targets: Targets,
  report: Report,
): Located {
  let at = root;
  for (const key of keys) {
    while (childAt(at, key) === undefined && at.kind === "map" && findReference(at) !== undefined) {
      if (!targets.has(at)) return { kind: "reference", node: at };
      const through = targets.get(at);
      // A reference without a target has been reported at its own place.
      if (through === undefined) return nowhere;
      at = through;
    }
    const below = childAt(at, key);
    if (below === undefined) {
      const known = at.kind === "map" ? at.entries.map((entry) => entry.key) : [];
      const closest = suggest(key, known);
      if (isMistakeOfDocument(root, at, keys, { key, known, closest })) return nowhere;
      report("GW1030", written.node.span, { reference: written.text, missing: key, closest });
      return nowhere;
    }
    at = below;
  }
  return { kind: "target", target: at };
}

/** A key of a pointer that leads to nothing, with the keys that are there. */
interface MissingKey {
  readonly key: string;
  readonly known: readonly string[];
  readonly closest: string | undefined;
}

/** Whether a key of the document at `at` is wrong, not that of the pointer `keys`. It is reported in the document. */
function isMistakeOfDocument(
  root: DocumentNode,
  at: DocumentNode,
  keys: readonly string[],
  { key, known, closest }: MissingKey,
): boolean {
  const components = childAt(root, "components");
  // The name of the part is misspelt in the document.
  const isMisspelt = closest !== undefined && parts.includes(key) && !parts.includes(closest);
  if (isMisspelt && (at === root || at === components)) return true;
  // A section of components has its former name.
  if (at === components && key === "schemas" && known.includes("definitions")) return true;
  // Such a section stands in the place of `components`.
  const section = keys[1] ?? "";
  return at === root && key === "components" && parts.includes(section) && known.includes(section);
}

/** Returns the value under a key, or at an index of a list. */
export function childAt(node: DocumentNode | undefined, key: string): DocumentNode | undefined {
  if (node?.kind === "list") return /^(?:0|[1-9]\d*)$/.test(key) ? node.items[Number(key)] : undefined;
  return findEntry(node, key)?.value;
}
