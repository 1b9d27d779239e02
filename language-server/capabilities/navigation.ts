// Where names lead: to their declaration, to all their uses, and to other names.

import {
  type DocumentHighlight,
  type Location,
  ResponseError,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import { findFileRange } from "../../compiler/diagnostics/fixes/file-range.ts";
import { folderOf, nameOf, resolvePath } from "../../compiler/parse/document/paths.ts";
import { parseReference } from "../../compiler/parse/references/pointer.ts";
import { offsetsOf, type Span } from "../../compiler/source/source.ts";
import { type DocumentNode, findEntry, findNode, type MapEntry } from "../../compiler/trees/document.ts";
import { type Analysis, dialectOf, documentAt } from "../analysis/analysis.ts";
import { type Named, placeOf } from "../analysis/collected-names.ts";
import { isOnKey, placeAt } from "../analysis/document-place.ts";
import { namedAt, namesIn, startOf } from "../analysis/names.ts";
import { isWithin, rangeIn, rangeOf } from "../analysis/positions.ts";
import { usesInTests } from "../analysis/test-names.ts";
import { absolutePath } from "../workspace/paths.ts";
import { type OpenTexts, overlay } from "../workspace/texts.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What is read besides an analysis. */
type Reading = Pick<Workspace, "texts" | "readersOf" | "units">;

/** The declarations of what stands at an offset. The beginning of a file without a name there is the declaration of the file. */
export async function definitionsAt(
  analysis: Analysis,
  path: string,
  offset: number,
  reading: Reading,
): Promise<readonly Location[]> {
  const { texts } = reading;
  const found = await pointedAt(analysis, path, offset, reading);
  const { declarations = [], origins = [] } = found?.named ?? {};
  const target = found === undefined ? pathTarget(analysis, path, offset) : [];
  const spans = [declarations, target, origins].find(({ length }) => length > 0) ?? [];
  return (await inFiles(spans, texts)).map((span) => locationOf(span, texts));
}

/** The uses of what stands at an offset, with its declarations where they are wanted. */
export async function referencesAt(
  analysis: Analysis,
  path: string,
  offset: number,
  withDeclaration: boolean,
  reading: Reading,
): Promise<readonly Location[]> {
  const { texts } = reading;
  const found = await pointedAt(analysis, path, offset, reading);
  const named = found && (await everywhere(found.named, reading));
  if (named === undefined) return [];
  const isDeclared = withDeclaration && !(await isBegunByName(named, analysis, reading));
  return (await placesOf(named, isDeclared, texts)).map((span) => locationOf(span, texts));
}

/** Whether the beginning of a file stands for another name, and not for the file. */
async function isBegunByName({ kind, name }: Named, analysis: Analysis, reading: Reading): Promise<boolean> {
  const found = kind === "file" ? await foundAt(analysis, name, 0, reading) : undefined;
  return found !== undefined && found.named.kind !== "file";
}

/**
 * What has the name at an offset, as the path of a reference has that of a file, or is what a reference there leads to; the
 * beginning of a file stands for the file.
 */
async function pointedAt(analysis: Analysis, path: string, offset: number, reading: Reading) {
  const found = (await foundAt(analysis, path, offset, reading)) ?? targetAt(analysis, path, offset);
  if (found !== undefined || offset > 0) return found;
  const start = startOf(path);
  const file: Named = { kind: "file", name: path, declarations: [start], uses: [], origins: [] };
  return { named: file, span: start };
}

/** Kinds of names that other documents may use than those which are checked together. */
const shared: ReadonlySet<Named["kind"]> = new Set<Named["kind"]>(["map", "component", "field", "file"]);

/** A name with its uses in all documents that read the file of its declaration. */
async function everywhere(named: Named, { readersOf }: Reading): Promise<Named> {
  if (!shared.has(named.kind)) return named;
  const places = new Set(named.declarations.map(placeOf));
  const files = new Set(named.declarations.map(({ source }) => absolutePath(source.file.path)));
  const readers = await Promise.all([...files].map(readersOf));
  const same = [...new Set(readers.flat())].flatMap((analysis) =>
    namesIn(analysis).filter(
      ({ kind, declarations }) =>
        kind === named.kind && declarations.some((span) => places.has(placeOf(span))),
    ),
  );
  return { ...named, uses: [...named.uses, ...same.flatMap(({ uses }) => uses)] };
}

/** What has the name at an offset; unit tests name labels and streams of their documents. */
async function foundAt(analysis: Analysis, path: string, offset: number, { texts, units }: Reading) {
  const found = namedAt(analysis, path, offset) ?? namedByReaders(path, offset, units());
  const file = documentAt(analysis, path)?.file;
  if (found !== undefined || file === undefined || !/\btests\b/.test(file.text)) return found;
  for (const named of namesIn(analysis.tests?.analysis ?? analysis)) {
    const { length } = named.name;
    if (!file.text.slice(Math.max(0, offset - length), offset + length).includes(named.name)) continue;
    const inTests = await usesInTests(
      named,
      overlay(texts, () => {}),
    );
    const span = inTests.find(
      (each) => absolutePath(each.source.file.path) === path && isWithin(each, offset),
    );
    if (span !== undefined) return { named, span };
  }
  return undefined;
}

/** What stands at an offset for those who read the file: fields of an imported mapping that only they use. */
function namedByReaders(path: string, offset: number, units: ReturnType<Workspace["units"]>) {
  for (const { analysis, isStale, dependencies } of units) {
    const found =
      analysis !== undefined && !isStale && dependencies.has(path)
        ? namedAt(analysis, path, offset)
        : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a reference leads to that is pointed at beside the name at its end. */
function targetAt(analysis: Analysis, path: string, offset: number) {
  const [target] = pathTarget(analysis, path, offset);
  const at = target && offsetsOf(target).start;
  return target && at !== undefined
    ? namedAt(analysis, absolutePath(target.source.file.path), at)
    : undefined;
}

/** Where a name stands, each place once: unit tests may stand in the document that they are about. */
async function placesOf(named: Named, withDeclaration: boolean, texts: OpenTexts): Promise<readonly Span[]> {
  const { declarations, uses } = named;
  const inTests = await usesInTests(
    named,
    overlay(texts, () => {}),
  );
  const all = [...(withDeclaration ? await inFiles(declarations, texts) : []), ...uses, ...inTests];
  return [...new Map(all.map((span) => [placeOf(span), span])).values()];
}

/** The places that an editor can open: a file which a document names may be written by the gateway alone, or be missing. */
async function inFiles(spans: readonly Span[], texts: OpenTexts): Promise<readonly Span[]> {
  const { list } = overlay(texts, () => {});
  const isThere = async ({ source: { file } }: Span) => {
    const path = absolutePath(file.path);
    if (file.text !== "" || texts.find(path) !== undefined) return true;
    // A folder that is missing or closed to us holds nothing.
    const entries = await list(folderOf(path)).catch(() => []);
    return entries.some(({ name }) => name === nameOf(path));
  };
  const areThere = await Promise.all(spans.map(isThere));
  return spans.filter((_, index) => areThere[index]);
}

/** What stands at an offset, wherever it stands in the same document. */
export async function highlightsAt(
  analysis: Analysis,
  path: string,
  offset: number,
  reading: Reading,
): Promise<readonly DocumentHighlight[]> {
  const found = await pointedAt(analysis, path, offset, reading);
  const spans = found === undefined ? [] : await placesOf(found.named, true, reading.texts);
  return spans
    .filter(({ source }) => absolutePath(source.file.path) === path)
    .map((span) => ({ range: rangeOf(span) }));
}

/** The part of the text that a rename replaces; `null` where nothing can be renamed. */
export async function renameRange(analysis: Analysis, path: string, offset: number, reading: Reading) {
  const found = await foundAt(analysis, path, offset, reading);
  return found === undefined || !isRenamable(found.named)
    ? null
    : { range: rangeOf(found.span), placeholder: found.named.name };
}

/**
 * The edits that give what stands at an offset another name, in unit tests as well. Refuses names that would not be read as
 * one.
 */
export async function renameAt(
  analysis: Analysis,
  path: string,
  offset: number,
  newName: string,
  reading: Reading,
): Promise<WorkspaceEdit | null> {
  const { texts } = reading;
  const found = await foundAt(analysis, path, offset, reading);
  if (found === undefined || !isRenamable(found.named)) return null;
  const { kind } = found.named;
  if (!allowedNames[kind].test(newName))
    throw new ResponseError(-32602, `\`${newName}\` cannot be the name of a ${kind}.`);
  const changes: Record<string, TextEdit[]> = {};
  for (const span of await placesOf(await everywhere(found.named, reading), true, texts)) {
    const range = findFileRange(span);
    if (range === undefined)
      throw new ResponseError(
        -32803,
        "The name is written with escapes at one place, and cannot be replaced there.",
      );
    const uri = texts.uriOf(absolutePath(range.file.path));
    changes[uri] ??= [];
    changes[uri].push({ range: rangeIn(range.file, range.start, range.end), newText: newName });
  }
  return { changes };
}

type Renamable = Exclude<Named["kind"], "metadata key" | "field" | "file">;

/**
 * Fields and metadata leave streams, metadata as headers: who reads them there is not known. Files are renamed by the editor,
 * which asks what else changes with them.
 */
function isRenamable(named: Named): named is Named & { readonly kind: Renamable } {
  return named.kind !== "metadata key" && named.kind !== "field" && named.kind !== "file";
}

/** YAML reads it as a text without quotes. */
const plainName = /^(?!(?:true|false|null)$)[\p{L}_][\p{L}\p{M}\p{N}_.-]*$/iu;

/** What needs no quotes and no escapes wherever such a name may stand. */
const allowedNames: Readonly<Record<Renamable, RegExp>> = {
  variable: /^[A-Za-z0-9_]+$/,
  parameter: /^(?!(?:this|root|_)$)[A-Za-z_][A-Za-z0-9_]*$/,
  map: /^[A-Za-z0-9_]+$/,
  resource: plainName,
  label: plainName,
  component: /^[A-Za-z0-9._-]+$/,
  policy: plainName,
  API: plainName,
  stream: plainName,
  anchor: /^[^\s,[\]{}]+$/,
  // With the signs of patterns: `orders/+/#`, `orders.>`.
  topic: /^(?!(?:true|false|null)$)[\p{L}_/][\p{L}\p{M}\p{N}_./+#*>-]*$/iu,
};

function locationOf(span: Span, texts: OpenTexts): Location {
  return { uri: texts.uriOf(absolutePath(span.source.file.path)), range: rangeOf(span) };
}

/** What a `$ref` leads to, and the document that an entry of `apis` names. */
function pathTarget(analysis: Analysis, path: string, offset: number): readonly Span[] {
  const document = documentAt(analysis, path);
  if (document === undefined) return [];
  const place = placeAt(document.root, offset, dialectOf(analysis).components);
  const { node } = place;
  if (node.kind !== "scalar" || typeof node.value !== "string") return [];
  const { start, end } = offsetsOf(node.span);
  // With its quotes, which are not part of all spans.
  if (offset > end + 1 || (offset < start - 1 && !isOnKey(place, offset))) return [];
  if (place.path[0] === "apis") return [startOf(resolvePath(document.file.path, node.value))];
  return place.entry?.key === "$ref" ? referenceTarget(analysis, document.file.path, node.value).spans : [];
}

/** Where a `$ref` of a document leads, and what is there. */
export function referenceTarget(
  analysis: Analysis,
  path: string,
  text: string,
): { readonly spans: readonly Span[]; readonly node?: DocumentNode | undefined } {
  const reference = parseReference(text);
  if (reference.kind !== "place" || typeof reference.place === "string") return { spans: [] };
  const file = reference.path === undefined ? path : resolvePath(path, reference.path);
  const target = documentAt(analysis, absolutePath(file));
  if (target === undefined) return { spans: [startOf(file)] };
  const last = reference.place.at(-1);
  const around = findNode(target.root, ...reference.place.slice(0, -1));
  const entry: MapEntry | undefined = last === undefined ? undefined : findEntry(around, last);
  const node = findNode(target.root, ...reference.place);
  // What is not there leads nowhere, as its diagnostic says.
  return { spans: node === undefined ? [] : [entry?.keySpan ?? node.span], node };
}
