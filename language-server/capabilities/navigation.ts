// Where names lead: to their declaration, to all their uses, and to other names.

import {
  type DocumentHighlight,
  type Location,
  ResponseError,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import { knownType } from "../../compiler/check/inference/known-types.ts";
import { findFileRange } from "../../compiler/diagnostics/fixes/file-range.ts";
import { resolvePath } from "../../compiler/parse/document/paths.ts";
import { parseReference } from "../../compiler/parse/references/pointer.ts";
import { createSourceFile, type Span, spanOf } from "../../compiler/source/source.ts";
import { type DocumentNode, findEntry, findNode, type MapEntry } from "../../compiler/trees/document.ts";
import { fieldOf } from "../../compiler/value-types/fields.ts";
import { type Analysis, dialectOf, documentAt } from "../analysis/analysis.ts";
import { type Named, placeOf } from "../analysis/collected-names.ts";
import { placeAt } from "../analysis/document-place.ts";
import { namedAt } from "../analysis/names.ts";
import { rangeIn, rangeOf } from "../analysis/positions.ts";
import { nodesAt, scriptAt, treeOf } from "../analysis/scripts.ts";
import { usesInTests } from "../analysis/test-names.ts";
import { absolutePath } from "../workspace/paths.ts";
import { type OpenTexts, overlay } from "../workspace/texts.ts";

/** The declarations of what stands at an offset. */
export function definitionsAt(
  analysis: Analysis,
  path: string,
  offset: number,
  texts: OpenTexts,
): readonly Location[] {
  const found = namedAt(analysis, path, offset);
  const spans = found?.named.declarations ?? [
    ...fieldOrigin(analysis, path, offset),
    ...pathTarget(analysis, path, offset),
  ];
  return spans.map((span) => locationOf(span, texts));
}

/** The uses of what stands at an offset, with its declarations where they are wanted. */
export async function referencesAt(
  analysis: Analysis,
  path: string,
  offset: number,
  withDeclaration: boolean,
  texts: OpenTexts,
): Promise<readonly Location[]> {
  const found = namedAt(analysis, path, offset);
  const spans = found === undefined ? [] : await placesOf(found.named, withDeclaration, texts);
  return spans.map((span) => locationOf(span, texts));
}

/** Where a name stands, each place once: unit tests may stand in the document that they are about. */
async function placesOf(named: Named, withDeclaration: boolean, texts: OpenTexts): Promise<readonly Span[]> {
  const { declarations, uses } = named;
  const inTests = await usesInTests(
    named,
    overlay(texts, () => {}),
  );
  const all = [...(withDeclaration ? declarations : []), ...uses, ...inTests];
  return [...new Map(all.map((span) => [placeOf(span), span])).values()];
}

/** What stands at an offset, wherever it stands in the same document; other files are not read for it. */
export function highlightsAt(analysis: Analysis, path: string, offset: number): readonly DocumentHighlight[] {
  const { declarations, uses } = namedAt(analysis, path, offset)?.named ?? { declarations: [], uses: [] };
  return [...declarations, ...uses]
    .filter(({ source }) => absolutePath(source.file.path) === path)
    .map((span) => ({ range: rangeOf(span) }));
}

/** The part of the text that a rename replaces; `null` where nothing can be renamed. */
export function renameRange(analysis: Analysis, path: string, offset: number) {
  const found = namedAt(analysis, path, offset);
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
  texts: OpenTexts,
): Promise<WorkspaceEdit | null> {
  const found = namedAt(analysis, path, offset);
  if (found === undefined || !isRenamable(found.named)) return null;
  const { kind } = found.named;
  if (!allowedNames[kind].test(newName))
    throw new ResponseError(-32602, `\`${newName}\` cannot be the name of a ${kind}.`);
  const changes: Record<string, TextEdit[]> = {};
  for (const span of await placesOf(found.named, true, texts)) {
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

type Renamable = Exclude<Named["kind"], "metadata key">;

/** Metadata leave streams by their keys, as headers: who reads them there is not known. */
function isRenamable(named: Named): named is Named & { readonly kind: Renamable } {
  return named.kind !== "metadata key";
}

/** YAML reads it as a text without quotes. */
const plainName = /^(?!(?:true|false|null)$)[A-Za-z_][\w.-]*$/i;

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
  topic: /^(?!(?:true|false|null)$)[A-Za-z_/][\w./-]*$/i,
};

function locationOf(span: Span, texts: OpenTexts): Location {
  return { uri: texts.uriOf(absolutePath(span.source.file.path)), range: rangeOf(span) };
}

/** Where a schema declares the field that is read. */
function fieldOrigin(analysis: Analysis, path: string, offset: number): readonly Span[] {
  const script = scriptAt(analysis, path, offset);
  if (script === undefined) return [];
  const nodes = nodesAt(treeOf(script.field), offset);
  const [access, name] = nodes.slice(-2);
  if (name?.kind === "StringLiteral" && (access?.kind === "Import" || access?.kind === "Mapping"))
    return [startOf(resolvePath(name.span.source.file.path, name.value))];
  if (name?.kind !== "Name" || access?.kind !== "FieldAccess") return [];
  const { span } = fieldOf(knownType(access.receiver, script.types), name.text);
  return span === undefined ? [] : [span];
}

/** What a `$ref` leads to, and the document that an entry of `apis` names. */
function pathTarget(analysis: Analysis, path: string, offset: number): readonly Span[] {
  const document = documentAt(analysis, path);
  if (document === undefined) return [];
  const place = placeAt(document.root, offset, dialectOf(analysis).components);
  const { node } = place;
  if (node.kind !== "scalar" || typeof node.value !== "string") return [];
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
  return { spans: [entry?.keySpan ?? node?.span ?? spanOf(target.file, 0, 0)], node };
}

/** The beginning of a file that nothing was read of. */
function startOf(path: string): Span {
  return spanOf(createSourceFile(path, ""), 0, 0);
}
