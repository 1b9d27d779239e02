// Navigation and renaming: finds the declaration and all uses of a name, and changes the name.

import {
  type DocumentHighlight,
  type Location,
  ResponseError,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import { findFileRange } from "../../compiler/diagnostics/fixes/file-range.ts";
import { folderOf, nameOf, resolvePath } from "../../compiler/parse/document/paths.ts";
import { offsetsOf, type Span } from "../../compiler/source/source.ts";
import { type DocumentNode, findEntry, findNode, type MapEntry } from "../../compiler/trees/document.ts";
import { parseReference } from "../../compiler/trees/pointer.ts";
import { type Analysis, dialectOf, documentAt } from "../analysis/analysis.ts";
import { type Named, placeOf } from "../analysis/collected-names.ts";
import { isOnKey, placeAt } from "../analysis/document-place.ts";
import { namedAt, namesIn, startOf } from "../analysis/names.ts";
import { isWithin, rangeIn, rangeOf } from "../analysis/positions.ts";
import { usesInTests } from "../analysis/test-names.ts";
import { absolutePath } from "../workspace/paths.ts";
import { type OpenTexts, overlay } from "../workspace/texts.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** The data that is read in addition to an analysis. */
type Reading = Pick<Workspace, "texts" | "readersOf" | "units">;

/**
 * Returns the declarations of the element at an offset. The beginning of a file without a name there stands for the
 * file itself.
 */
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

/** Returns the uses of the element at an offset, with its declarations if `withDeclaration` is true. */
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

/** Whether the beginning of a file contains another name, so that it does not stand for the file. */
async function isBegunByName({ kind, name }: Named, analysis: Analysis, reading: Reading): Promise<boolean> {
  const found = kind === "file" ? await foundAt(analysis, name, 0, reading) : undefined;
  return found !== undefined && found.named.kind !== "file";
}

/**
 * Returns the element whose name is at an offset, such as the file whose path a reference contains, or the target of
 * a reference there; at the beginning of a file, the file itself.
 */
async function pointedAt(analysis: Analysis, path: string, offset: number, reading: Reading) {
  const found = (await foundAt(analysis, path, offset, reading)) ?? targetAt(analysis, path, offset);
  if (found !== undefined || offset > 0) return found;
  const start = startOf(path);
  const file: Named = { kind: "file", name: path, declarations: [start], uses: [], origins: [] };
  return { named: file, span: start };
}

/** The kinds of names that documents outside the checked set may use. */
const shared: ReadonlySet<Named["kind"]> = new Set<Named["kind"]>(["map", "component", "field", "file"]);

/** Returns a name with its uses in all documents that read the file of its declaration. */
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

/**
 * Returns the element whose name is at an offset; unit tests contain labels and stream names of the tested document.
 */
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

/**
 * Returns the element at an offset according to the units that read the file, such as a field of an imported mapping.
 */
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

/** Returns the target of a reference if the pointer is on it but not on the name at its end. */
function targetAt(analysis: Analysis, path: string, offset: number) {
  const [target] = pathTarget(analysis, path, offset);
  const at = target && offsetsOf(target).start;
  return target && at !== undefined
    ? namedAt(analysis, absolutePath(target.source.file.path), at)
    : undefined;
}

/** Returns the places of a name, each once: unit tests may be part of the document that they test. */
async function placesOf(named: Named, withDeclaration: boolean, texts: OpenTexts): Promise<readonly Span[]> {
  const { declarations, uses } = named;
  const inTests = await usesInTests(
    named,
    overlay(texts, () => {}),
  );
  const all = [...(withDeclaration ? await inFiles(declarations, texts) : []), ...uses, ...inTests];
  return [...new Map(all.map((span) => [placeOf(span), span])).values()];
}

/**
 * Returns the places that an editor can open: a file that a document names may be missing, or created only by the
 * gateway.
 */
async function inFiles(spans: readonly Span[], texts: OpenTexts): Promise<readonly Span[]> {
  const { list } = overlay(texts, () => {});
  const isThere = async ({ source: { file } }: Span) => {
    const path = absolutePath(file.path);
    if (file.text !== "" || texts.find(path) !== undefined) return true;
    // A folder that is missing or not accessible counts as empty.
    const entries = await list(folderOf(path)).catch(() => []);
    return entries.some(({ name }) => name === nameOf(path));
  };
  const areThere = await Promise.all(spans.map(isThere));
  return spans.filter((_, index) => areThere[index]);
}

/** Returns all places of the element at an offset in the same document. */
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

/** Returns the part of the text that a rename replaces; `null` if the element cannot be renamed. */
export async function renameRange(analysis: Analysis, path: string, offset: number, reading: Reading) {
  const found = await foundAt(analysis, path, offset, reading);
  return found === undefined || !isRenamable(found.named)
    ? null
    : { range: rangeOf(found.span), placeholder: found.named.name };
}

/**
 * Returns the edits that rename the element at an offset, including those in unit tests. Refuses a name that would
 * not be parsed as one.
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
 * Whether an element can be renamed here. Fields and metadata leave streams, metadata as headers, so that their
 * readers are unknown. The editor itself renames files, and then requests the changes that follow from it.
 */
function isRenamable(named: Named): named is Named & { readonly kind: Renamable } {
  return named.kind !== "metadata key" && named.kind !== "field" && named.kind !== "file";
}

/** Matches a name that YAML parses as a text without quotes. */
const plainName = /^(?!(?:true|false|null)$)[\p{L}_][\p{L}\p{M}\p{N}_.-]*$/iu;

/** The names that need no quotes and no escapes wherever a name of this kind may occur. */
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
  // With the wildcards of patterns: `orders/+/#`, `orders.>`.
  topic: /^(?!(?:true|false|null)$)[\p{L}_/][\p{L}\p{M}\p{N}_./+#*>-]*$/iu,
};

function locationOf(span: Span, texts: OpenTexts): Location {
  return { uri: texts.uriOf(absolutePath(span.source.file.path)), range: rangeOf(span) };
}

/** Returns the target of a `$ref`, or the document that an entry of `apis` names. */
function pathTarget(analysis: Analysis, path: string, offset: number): readonly Span[] {
  const document = documentAt(analysis, path);
  if (document === undefined) return [];
  const place = placeAt(document.root, offset, dialectOf(analysis).components);
  const { node } = place;
  if (node.kind !== "scalar" || typeof node.value !== "string") return [];
  const { start, end } = offsetsOf(node.span);
  // Includes the quotes, which only some spans contain.
  if (offset > end + 1 || (offset < start - 1 && !isOnKey(place, offset))) return [];
  if (place.path[0] === "apis") return [startOf(resolvePath(document.file.path, node.value))];
  return place.entry?.key === "$ref" ? referenceTarget(analysis, document.file.path, node.value).spans : [];
}

/** Returns the place that a `$ref` of a document refers to, and its node. */
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
  // A reference to a missing node has no target; a diagnostic reports it.
  return { spans: node === undefined ? [] : [entry?.keySpan ?? node.span], node };
}
