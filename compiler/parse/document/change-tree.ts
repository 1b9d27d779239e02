// Updates a tree after a change of its text: parses only the smallest part around the change, creates the maps around
// that part again, and keeps all other nodes as the same objects.

import { invariant } from "../../diagnostics/invariant.ts";
import { watchReports } from "../../diagnostics/sink.ts";
import type { EditedVersion, TextChange } from "../../source/edited-places.ts";
import { isJson, offsetsOf, type SourceFile, type SourceText, spanOf } from "../../source/source.ts";
import type { DocumentNode, MapEntry } from "../../trees/document.ts";
import { parseValueAt } from "../json/parse-json.ts";
import { withEntries } from "../json/skim-json.ts";
import { isAnchored, parseYaml } from "../yaml/parse-yaml.ts";
import { maximumDepth } from "./limits.ts";

/** The next version of a file. */
export interface NextVersion {
  /** Returns a part of its text. The whole text is never needed here, and is large. */
  readonly slice: (start: number, end: number) => string;
  /**
   * The text after the changes that follow. Nodes refer to this instead of the file: otherwise each file that a node
   * keeps would keep a whole text in memory.
   */
  readonly version: EditedVersion;
  readonly change: TextChange;
}

/** A changed tree, and the part of the older text whose nodes were replaced. */
interface ChangedTree {
  readonly root: DocumentNode;
  readonly replaced: TextChange;
}

/** A part of the newest text that is parsed again. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** A map or list around the change, and the index of the entry or item that contains the change. */
interface Step {
  readonly node: Exclude<DocumentNode, { readonly kind: "scalar" }>;
  readonly index: number;
}

interface Found {
  readonly part: Part;
  readonly steps: readonly Step[];
}

/** The largest part that is parsed again, in characters. Parsing a larger part is no faster than parsing the whole. */
const largestPart = 200_000;

/** Returns the changed tree; `undefined` if the document has to be parsed as a whole. */
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

/** Returns a part of the text as a copy: a slice would keep the whole text in memory. */
function partOf({ slice, version }: NextVersion, start: number, end: number): SourceText {
  const text: string = JSON.parse(JSON.stringify(slice(start, end)));
  return {
    text,
    get file() {
      return newestOf(version);
    },
    offsetInFile: (offset) => version.offsetInFile(start + offset),
    endInFile: (offset) => version.offsetInFile(start + offset) + 1,
  };
}

/** Returns a whole version as the source that the spans of maps and lists refer to. */
function sourceOf(version: EditedVersion): SourceText {
  return {
    get text() {
      return version.text;
    },
    get file() {
      return newestOf(version);
    },
    offsetInFile: (offset) => version.offsetInFile(offset),
    endInFile: (offset) => version.offsetInFile(offset) + 1,
  };
}

function newestOf({ newest }: EditedVersion): SourceFile {
  invariant(newest !== undefined, "a text that is changed was read");
  return newest;
}

/** Returns the innermost JSON object, list or string whose brackets or quotes enclose the change. */
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

/** Returns the offsets of a node with its quotes, which the spans of strings leave out. */
function writtenAt(node: DocumentNode): Part {
  const { start, end } = offsetsOf(node.span);
  const margin = node.kind === "scalar" && typeof node.value === "string" ? 1 : 0;
  return { start: start - margin, end: end + margin };
}

function parseValue(source: SourceText, { steps }: Found): DocumentNode | undefined {
  const problems = watchReports();
  const node = parseValueAt(source, 0, steps.length, problems.report);
  if (node === undefined || problems.hasReported()) return undefined;
  const margin = node.kind === "scalar" && typeof node.value === "string" ? 1 : 0;
  return node.span.end + margin === source.text.length ? node : undefined;
}

/** Returns the innermost entry of nested block maps, from its own line to the line of the next entry. */
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

/** Returns the start of the line of a key; `undefined` if anything but spaces precedes the key. */
function findLineOfKey({ text }: SourceFile, offset: number): number | undefined {
  const key = /["']/.test(text.charAt(offset - 1)) ? offset - 1 : offset;
  const start = text.lastIndexOf("\n", key - 1) + 1;
  return /^ *$/.test(text.slice(start, key)) ? start : undefined;
}

/** Returns the map of this entry alone; `undefined` if something in the entry depends on the text around it. */
function parseEntry(source: SourceText, { part, steps }: Found): DocumentNode | undefined {
  const { node, index } = steps.at(-1) ?? {};
  const entry = node?.kind === "map" && index !== undefined ? node.entries[index] : undefined;
  const isLast = steps.every(
    (step) => step.node.kind === "map" && step.index === step.node.entries.length - 1,
  );
  if (entry === undefined || (!isLast && !source.text.endsWith("\n"))) return undefined;
  if (/^(?:---|\.\.\.)/m.test(source.text)) return undefined;
  const problems = watchReports();
  const map = parseYaml(source, problems.report, maximumDepth - steps.length);
  if (map?.kind !== "map" || problems.hasReported() || isAnchored(map)) return undefined;
  const [only, ...others] = map.entries;
  const isSame =
    others.length === 0 &&
    only?.key === entry.key &&
    only.keySpan.start === offsetsOf(entry.keySpan).start - part.start;
  return isSame && source.text.charAt(map.span.start) !== "{" ? map : undefined;
}

/** Returns the maps and lists around a part, with the newly parsed part in its place. */
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
  // A node that ended with the old part ends with the new one.
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
