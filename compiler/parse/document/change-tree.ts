// A tree and a change of its text in, the tree of the changed text out: the smallest part around the change is parsed, the
// maps around that are made anew, and all other nodes stay the same objects.

import { invariant } from "../../diagnostics/invariant.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { EditedVersion, TextChange } from "../../source/edited-places.ts";
import { isJson, offsetsOf, type SourceFile, type SourceText, spanOf } from "../../source/source.ts";
import type { DocumentNode, MapEntry } from "../../trees/document.ts";
import { parseValueAt } from "../json/parse-json.ts";
import { withEntries } from "../json/skim-json.ts";
import { isAnchored, parseYaml } from "../yaml/parse-yaml.ts";
import { maximumDepth } from "./limits.ts";

/** The next version of a file. */
export interface NextVersion {
  readonly file: SourceFile;
  /** It as it is after the changes that follow. Nodes refer to this: each file that they kept would keep a whole text. */
  readonly version: EditedVersion;
  readonly change: TextChange;
}

/** A changed tree, and the part of the older text whose nodes are gone. */
interface ChangedTree {
  readonly root: DocumentNode;
  readonly replaced: TextChange;
}

/** A part of the newest text that is known, to be parsed again. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** A map or list around the change, and which of its entries or items the change is in. */
interface Step {
  readonly node: Exclude<DocumentNode, { readonly kind: "scalar" }>;
  readonly index: number;
}

interface Found {
  readonly part: Part;
  readonly steps: readonly Step[];
}

/** Largest part that is parsed again, in characters; a larger one is no gain over the whole. */
const largestPart = 200_000;

/** `undefined` where the document has to be parsed as a whole. */
export function changeTree(
  { file, root }: { readonly file: SourceFile; readonly root: DocumentNode },
  next: NextVersion,
): ChangedTree | undefined {
  const found = isJson(file) ? findValue(root, next.change) : findYamlEntry(file, root, next.change);
  if (found === undefined || found.part.end - found.part.start > largestPart) return undefined;
  const growth = next.change.length - (next.change.end - next.change.start);
  const { start, end } = found.part;
  const source = partOf(next, start, end + growth);
  const parsed = isJson(file) ? parseValue(source, found) : parseEntry(source, found);
  if (parsed === undefined) return undefined;
  const changed = rebuild(found, parsed, { isEntry: !isJson(file), source: sourceOf(next.version), growth });
  return { root: changed, replaced: { start, end, length: source.text.length } };
}

/** A copy of the text: a part of it would keep all of it in memory. */
function partOf({ file, version }: NextVersion, start: number, end: number): SourceText {
  const text: string = JSON.parse(JSON.stringify(file.text.slice(start, end)));
  return {
    text,
    get file() {
      return newestOf(version);
    },
    offsetInFile: (offset) => version.offsetInFile(start + offset),
  };
}

/** A whole version as what the places of maps and lists refer to. */
function sourceOf(version: EditedVersion): SourceText {
  return {
    get text() {
      return version.text;
    },
    get file() {
      return newestOf(version);
    },
    offsetInFile: (offset) => version.offsetInFile(offset),
  };
}

function newestOf({ newest }: EditedVersion): SourceFile {
  invariant(newest !== undefined, "a text that is changed was read");
  return newest;
}

/** The innermost object, list or text of JSON that a change lies in, between its brackets or quotes. */
function findValue(root: DocumentNode, change: TextChange): Found | undefined {
  const steps: Step[] = [];
  let at = root;
  while (at.kind !== "scalar") {
    const children: readonly DocumentNode[] =
      at.kind === "list" ? at.items : at.entries.map(({ value }) => value);
    const index = children.findIndex((child) => isInside(child, change));
    const child = children[index];
    if (child === undefined) break;
    steps.push({ node: at, index });
    at = child;
  }
  return steps.length === 0 ? undefined : { part: writtenAt(at), steps };
}

function isInside(node: DocumentNode, change: TextChange): boolean {
  const { start, end } = offsetsOf(node.span);
  const margin = node.kind === "scalar" ? 0 : 1;
  return change.start >= start + margin && change.end <= end - margin;
}

/** Spans of texts leave out their quotes. */
function writtenAt(node: DocumentNode): Part {
  const { start, end } = offsetsOf(node.span);
  const margin = node.kind === "scalar" && typeof node.value === "string" ? 1 : 0;
  return { start: start - margin, end: end + margin };
}

function parseValue(source: SourceText, { steps }: Found): DocumentNode | undefined {
  const problems = createWatch();
  const node = parseValueAt(source, 0, steps.length, problems.report);
  if (node === undefined || problems.areFound()) return undefined;
  const margin = node.kind === "scalar" && typeof node.value === "string" ? 1 : 0;
  return node.span.end + margin === source.text.length ? node : undefined;
}

/** The innermost entry of block maps within each other, from its line to that of the next one. */
function findYamlEntry(file: SourceFile, root: DocumentNode, change: TextChange): Found | undefined {
  if (isAnchored(root) || file.text.startsWith("%")) return undefined;
  const steps: Step[] = [];
  let part: Part | undefined;
  let at: DocumentNode = root;
  let end = file.text.length;
  while (at.kind === "map" && file.text[offsetsOf(at.span).start] !== "{") {
    const starts = at.entries.map(({ keySpan }) => findLineOfKey(file, offsetsOf(keySpan).start));
    const index = starts.findLastIndex((start) => start !== undefined && start <= change.start);
    const start = starts[index];
    const following = index + 1 < starts.length ? starts[index + 1] : end;
    const entry = at.entries[index];
    if (start === undefined || following === undefined || entry === undefined || change.end > following)
      break;
    steps.push({ node: at, index });
    part = { start, end: following };
    end = following;
    at = entry.value;
  }
  return part && { part, steps };
}

/** Where the line of a key begins that only blanks stand before. */
function findLineOfKey({ text }: SourceFile, offset: number): number | undefined {
  const key = /["']/.test(text.charAt(offset - 1)) ? offset - 1 : offset;
  const start = text.lastIndexOf("\n", key - 1) + 1;
  return /^ *$/.test(text.slice(start, key)) ? start : undefined;
}

/** The map that an entry makes alone; `undefined` where something in it has to do with what is around it. */
function parseEntry(source: SourceText, { part, steps }: Found): DocumentNode | undefined {
  const { node, index } = steps.at(-1) ?? {};
  const entry = node?.kind === "map" && index !== undefined ? node.entries[index] : undefined;
  const isLast = steps.every(
    (step) => step.node.kind === "map" && step.index === step.node.entries.length - 1,
  );
  if (entry === undefined || (!isLast && !source.text.endsWith("\n"))) return undefined;
  if (/^(?:---|\.\.\.)/m.test(source.text)) return undefined;
  const problems = createWatch();
  const map = parseYaml(source, problems.report, maximumDepth - steps.length);
  if (map?.kind !== "map" || problems.areFound() || isAnchored(map)) return undefined;
  const [only, ...others] = map.entries;
  const isSame =
    others.length === 0 &&
    only?.key === entry.key &&
    only.keySpan.start === offsetsOf(entry.keySpan).start - part.start;
  return isSame && source.text.charAt(map.span.start) !== "{" ? map : undefined;
}

/** The maps and lists around a part, with the part in its place. */
function rebuild(
  { part, steps }: Found,
  parsed: DocumentNode,
  {
    isEntry,
    source,
    growth,
  }: { readonly isEntry: boolean; readonly source: SourceText; readonly growth: number },
): DocumentNode {
  let value = parsed;
  // What ends with the part ends where the part does now.
  let end = isEntry ? part.start + parsed.span.end : undefined;
  for (const [depth, { node, index }] of [...steps.entries()].toReversed()) {
    const own = offsetsOf(node.span);
    const count = node.kind === "map" ? node.entries.length : node.items.length;
    if (index < count - 1 || !isEntry) end = undefined;
    const span = spanOf(source, own.start, end ?? own.end + growth);
    if (node.kind === "list") value = { kind: "list", items: node.items.with(index, value), span };
    else {
      const isInnermost = isEntry && depth === steps.length - 1;
      const entry: MapEntry | undefined =
        isInnermost && value.kind === "map" ? value.entries[0] : withValue(node.entries[index], value);
      value = withEntries(node, entry === undefined ? node.entries : node.entries.with(index, entry), span);
    }
  }
  return value;
}

function withValue(entry: MapEntry | undefined, value: DocumentNode): MapEntry | undefined {
  return entry && { ...entry, value };
}

function createWatch() {
  let isFound = false;
  const report: Report = () => {
    isFound = true;
  };
  return { report, areFound: () => isFound };
}
