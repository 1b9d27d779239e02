// Finds the processors that a test runs in a document, as trees, with mocks in
// place.

import { extensionAliases, resourceSections } from "../../../schemas/catalogue.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { labelOf } from "../../model/components.ts";
import { streamEntries } from "../../model/unit-tests.ts";
import { type DocumentNode, findEntry, findNode, type MapEntry, type MapNode } from "../../trees/document.ts";
import { escapeKey, unescapeKey } from "../../trees/pointer.ts";
import { isAddedResource } from "./target-document.ts";

/** A pointer or label that does not exist in the document. `closest`: a similar one that does. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  readonly reference: string;
  readonly closest: string | undefined;

  constructor(reference: string, closest: string | undefined) {
    super(`there is nothing at \`${reference}\``);
    this.reference = reference;
    this.closest = closest;
  }
}

type Path = readonly string[];

/** Processors, and the resources they may use. */
export interface Target {
  readonly nodes: readonly DocumentNode[];
  /** The path of each node: `pipeline.processors[0]`. */
  readonly places: readonly string[];
  /** The resource sections that apply to them. */
  readonly around: MapNode;
}

/** Returns the processors that `target`, a JSON pointer or a label, names in `root`, with `mocks` in place. */
export function findTarget(root: DocumentNode, target: string, mocks: readonly MapEntry[]): Target {
  let mocked = root;
  for (const { key, value } of mocks) mocked = putMock(mocked, key, value);
  const path = pathOf(mocked, target);
  const found = path === undefined ? undefined : findNode(mocked, ...path);
  if (path === undefined || found === undefined) throw new TargetError(target, meant(mocked, target));
  const place = path
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join("")
    .slice(1);
  const around = resourcesAround(mocked, path);
  if (found.kind !== "list") return { nodes: [found], places: [place], around };
  return { nodes: found.items, places: found.items.map((_, at) => `${place}[${at}]`), around };
}

/** Returns the node that `target` names in a document as written; `undefined` if the path leads through a reference. */
export function findTargetNode(root: DocumentNode, target: string): DocumentNode | undefined {
  const path = pathOf(root, target);
  return path && findNode(root, ...path);
}

/**
 * Returns the possible targets in a document: labels of processors, and pointers to lists of processors and their
 * items.
 */
export function targetsIn(root: DocumentNode): readonly string[] {
  const prefixes = [[], ...allStreamPaths(root)];
  const pointers = prefixes.flatMap((prefix) => {
    const written = [...prefix, "pipeline", "processors"];
    const list = findNode(root, ...written);
    if (list?.kind !== "list") return [];
    const pointer = `/${written.map(escapeKey).join("/")}`;
    return [pointer, ...list.items.map((_, at) => `${pointer}/${at}`)];
  });
  return [...new Set([...labelsIn(root), ...pointers])];
}

/** Returns the resource sections along `path`, and those of files that were added to the document. */
function resourcesAround(root: DocumentNode, path: Path): MapNode {
  const along = path.map((_, depth) => findNode(root, ...path.slice(0, depth)));
  const added =
    root.kind === "map"
      ? root.entries.flatMap(({ key, value }) => (isAddedResource(key) ? [value] : []))
      : [];
  const holders = [...new Set([...along, ...added])].filter((node) => node?.kind === "map");
  const entries = Object.values(resourceSections).flatMap((section): readonly MapEntry[] => {
    const found = holders.flatMap((holder) => findEntry(holder, section) ?? []);
    const [first] = found;
    if (first === undefined) return [];
    const items = found.flatMap(({ value }) => (value.kind === "list" ? value.items : []));
    return [{ ...first, value: { kind: "list", items, span: first.value.span } }];
  });
  return { kind: "map", entries, span: root.span };
}

function putMock(root: DocumentNode, key: string, mock: DocumentNode): DocumentNode {
  // `/pipeline/processors/-` is the position after the last one.
  const isAppended = key.startsWith("/") && key.endsWith("/-");
  const path = pathOf(root, isAppended ? key.slice(0, -2) : key);
  if (path === undefined) throw new TargetError(key, meant(root, key));
  return replaceAt(root, path, (node) =>
    isAppended && node.kind === "list" ? { ...node, items: [...node.items, mock] } : standIn(node, mock),
  );
}

function pathOf(root: DocumentNode, key: string): Path | undefined {
  if (!key.startsWith("/")) return findLabel(root, key, []);
  const path = key.slice(1).split("/").map(unescapeKey);
  return [path, ...streamPaths(root).map((prefix) => [...prefix, ...path])].find(
    (each) => findNode(root, ...each) !== undefined,
  );
}

/** Returns a similar pointer or label for one that does not exist. */
function meant(root: DocumentNode, key: string): string | undefined {
  if (!key.startsWith("/")) return suggest(key, labelsIn(root));
  return ["", ...streamPaths(root)]
    .map((prefix) => closestPointer(findNode(root, ...prefix), key))
    .find(Boolean);
}

/**
 * Replaces each misspelt key of a pointer with the most similar one; returns `undefined` if there is none for a key.
 */
function closestPointer(root: DocumentNode | undefined, pointer: string): string | undefined {
  let node = root;
  let written = "";
  for (const part of pointer.slice(1).split("/")) {
    const key = findNode(node, part) === undefined ? suggest(part, keysOf(node)) : part;
    if (key === undefined) return undefined;
    node = findNode(node, key);
    written += `/${key}`;
  }
  return written;
}

function keysOf(node: DocumentNode | undefined): readonly string[] {
  return node?.kind === "map" ? node.entries.map(({ key }) => key) : [];
}

function labelsIn(node: DocumentNode): readonly string[] {
  if (node.kind === "scalar") return [];
  const children = node.kind === "map" ? node.entries.map(({ value }) => value) : node.items;
  return [labelOf(node)?.text ?? [], children.flatMap(labelsIn)].flat();
}

/** Returns the paths of the streams in a document that contains streams as an extension. */
function streamPaths(root: DocumentNode): readonly Path[] {
  return streamingNames.flatMap((name) => {
    const streams = streamEntries(root, name);
    if (streams === undefined) return [];
    const [only, ...others] = streams;
    return only !== undefined && others.length === 0 ? [[name], [name, "streams", only.key]] : [[name]];
  });
}

function allStreamPaths(root: DocumentNode): readonly Path[] {
  return streamingNames.flatMap((name) =>
    (streamEntries(root, name) ?? []).map(({ key }) => [name, "streams", key]),
  );
}

const streamingNames = ["x-gw-streaming", extensionAliases["x-gw-streaming"]];

/** Returns the path of the component with the label `label`. */
function findLabel(node: DocumentNode, label: string, path: Path): Path | undefined {
  if (node.kind === "scalar") return undefined;
  if (labelOf(node)?.text === label) return path;
  const children =
    node.kind === "map"
      ? node.entries.map(({ key, value }) => [key, value] as const)
      : [...node.items.entries()].map(([at, item]) => [String(at), item] as const);
  for (const [key, child] of children) {
    const found = findLabel(child, label, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function replaceAt(
  node: DocumentNode,
  path: Path,
  change: (node: DocumentNode) => DocumentNode,
): DocumentNode {
  const [key, ...rest] = path;
  if (key === undefined) return change(node);
  if (node.kind === "list") {
    return {
      ...node,
      items: node.items.map((item, at) => (String(at) === key ? replaceAt(item, rest, change) : item)),
    };
  }
  if (node.kind === "scalar") return node;
  const entries = node.entries.map((entry) =>
    entry.key === key ? { ...entry, value: replaceAt(entry.value, rest, change) } : entry,
  );
  return { ...node, entries };
}

/**
 * Returns the replacement of a node: a processor keeps its label, a text becomes a mapping, other values are
 * replaced.
 */
function standIn(node: DocumentNode, mock: DocumentNode): DocumentNode {
  if (node.kind !== "map" || mock.kind === "list") return mock;
  const label = node.entries.find(({ key }) => key === "label");
  const written: MapNode = mock.kind === "map" ? mock : mapOf("mapping", mock);
  const isLabelled = label === undefined || written.entries.some(({ key }) => key === "label");
  return isLabelled ? written : { ...written, entries: [label, ...written.entries] };
}

function mapOf(key: string, value: DocumentNode): MapNode {
  const entry: MapEntry = { key, keySpan: value.span, value };
  return { kind: "map", entries: [entry], span: value.span };
}
