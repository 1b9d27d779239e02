// Completion at the pointer, in documents and in the scripts that they contain.

import { type CompletionItem, InsertTextFormat } from "vscode-languageserver";
import type { ObservedScript, ScriptField } from "../../../compiler/check/observer.ts";
import { resolvePath } from "../../../compiler/parse/document/paths.ts";
import { createSourceFile, offsetsOf } from "../../../compiler/source/source.ts";
import { pathAt, type ScalarNode } from "../../../compiler/trees/document.ts";
import { anyMessage } from "../../../compiler/value-types/type.ts";
import { isMappingName } from "../../analysis/analyse-mapping.ts";
import { type Analysis, dialectOf, documentAt, withoutSecrets } from "../../analysis/analysis.ts";
import { type DocumentPlace, placeAt } from "../../analysis/document-place.ts";
import { placeholder, type RepairedDocument, repairDocument } from "../../analysis/repaired.ts";
import { scriptUnder } from "../../analysis/scripts.ts";
import { absolutePath } from "../../workspace/paths.ts";
import { completeDocument, referenceItems } from "./document-items.ts";
import { fileItems, filesNamedAt } from "./file-items.ts";
import { type Pointed, placedInDocument, placedInScript, quotedStart } from "./placed.ts";
import { completeScript, type ScriptItems } from "./script-items.ts";
import { type ReadTree, testNames } from "./test-items.ts";

/** The data that completion uses in addition to the text. */
export interface CompletionContext {
  /** The analysis of the newest text that could be parsed, or of an older one. */
  readonly analysis: Analysis | undefined;
  /** Checks the document with another text; used for scripts that were never parsed. */
  readonly analyseText: (text: string) => Promise<Analysis>;
  /** The folder whose files are offered. */
  readonly folder: string;
  readonly readTree: ReadTree;
}

/** Returns the items for the pointer in a document. */
export async function complete(
  path: string,
  pointed: Pointed,
  context: CompletionContext,
): Promise<readonly CompletionItem[]> {
  const items = await itemsAt(path, pointed, context);
  const { analysis } = context;
  if (analysis === undefined) return items;
  // Only literal types and defaults quote the documents.
  const quotes = ({ detail = "" }: CompletionItem) => detail.includes('"') || detail.startsWith("default ");
  return items.map((item) =>
    quotes(item) ? { ...item, detail: withoutSecrets(analysis, item.detail ?? "") } : item,
  );
}

async function itemsAt(
  path: string,
  pointed: Pointed,
  context: CompletionContext,
): Promise<readonly CompletionItem[]> {
  const { text, offset } = pointed;
  const { analysis } = context;
  const dialect = dialectOf(analysis);
  if (isMappingName(path)) {
    const source = createSourceFile(path, text.slice(0, offset) + placeholder + text.slice(offset));
    const script = analysis?.scripts[0] ?? unknownScript;
    const items = completeScript({ source, kind: "Mapping", script, dialect });
    return placedInScript(await withImports(items, path, context), "", pointed);
  }
  const repaired = repairDocument(path, text, offset, analysis && documentAt(analysis, path));
  if (repaired === undefined) return [];
  const place = placeAt(repaired.root, repaired.offset, dialect.components);
  const kind = repaired.isKey ? undefined : scriptKind(place, text, offset);
  if (kind === undefined || place.node.kind !== "scalar") {
    const items = [
      ...completeDocument(place, repaired, text.slice(Math.max(0, offset - longestName), offset), {
        analysis,
        dialect,
      }),
      ...(await itemsOfFiles(path, place, repaired, context)),
    ];
    return placedInDocument(items, place, repaired, pointed);
  }
  const script = await findScript(path, repaired, { node: place.node, kind }, context);
  const start = quotedStart(offsetsOf(place.node.span).start, repaired.slice);
  const quote = /^["']/.exec(text.charAt(start))?.[0] ?? "";
  const items = completeScript({ source: place.node.text, kind, script, dialect });
  return placedInScript(await withImports(items, path, context), quote, pointed);
}

/** Returns items that require reading other files: file names, and names in these files. */
async function itemsOfFiles(
  path: string,
  place: DocumentPlace,
  { isKey }: RepairedDocument,
  { analysis, folder, readTree }: CompletionContext,
): Promise<readonly CompletionItem[]> {
  const names = (await testNames(place, { path, isKey, analysis }, readTree)) ?? [];
  const { node, entry } = place;
  if (isKey || node.kind !== "scalar") return names;
  const [written = ""] = String(node.value).split(placeholder);
  const file = entry?.key === "$ref" ? /^([^#]+)#/.exec(written)?.[1] : undefined;
  if (file !== undefined) {
    const root = await readTree(absolutePath(resolvePath(path, file)));
    return root === undefined ? [] : referenceItems(root, file);
  }
  const isWanted = written.includes("#") ? undefined : filesNamedAt(place);
  const files = isWanted === undefined ? [] : await fileItems({ from: path, folder, written, isWanted });
  if (entry?.key !== "target_processors") return [...names, ...files];
  // A file alone is no target.
  return [
    ...names,
    ...files.map((file) => ({ ...file, label: `${file.label}#`, insertText: `${file.label}#` })),
  ];
}

/** Returns the items of a script, with the files that it may import if the pointer is in a file name. */
async function withImports(
  found: ScriptItems,
  path: string,
  { folder }: CompletionContext,
): Promise<ScriptItems> {
  const { imported, items } = found;
  if (imported === undefined) return found;
  const files = await fileItems({ from: path, folder, written: imported || "./", isWanted: isMappingName });
  return { ...found, items: [...items, ...files] };
}

/**
 * Converts an item for an editor that does not support snippets: inserts the snippet up to its first tab stop, but at
 * most to the end of the line, because not every editor indents further lines.
 */
export function withoutSnippet(item: CompletionItem): CompletionItem {
  if (item.insertTextFormat !== InsertTextFormat.Snippet) return item;
  const {
    insertTextFormat: _format,
    insertTextMode: _mode,
    insertText = item.label,
    textEdit,
    ...others
  } = item;
  const newText = insertText.replace(/(?:\$\{?\d|\n).*$/s, "");
  return { ...others, insertText: newText, ...(textEdit && { textEdit: { ...textEdit, newText } }) };
}

/** The number of characters before the pointer that are searched for the beginning of an environment variable. */
const longestName = 200;

/** Returns the kind of script that contains the pointer; a text with queries counts only inside a query. */
function scriptKind(
  { schema, node }: DocumentPlace,
  text: string,
  offset: number,
): ScriptField["kind"] | undefined {
  if (node.kind !== "scalar" || typeof node.value !== "string") return undefined;
  switch (schema?.["x-text"]) {
    case "mapping":
      return "Mapping";
    case "query":
      return "Query";
    case "interpolated": {
      const before = text.slice(offsetsOf(node.span).start, offset);
      return before.lastIndexOf("${!") > before.lastIndexOf("}") ? "Template" : undefined;
    }
    case undefined:
      return undefined;
  }
}

/**
 * Returns the script as it was last checked. A script that did not parse was not checked: the type of its message is
 * then determined with another script in its place.
 */
async function findScript(
  path: string,
  { file, root, offset }: RepairedDocument,
  { node, kind }: { readonly node: ScalarNode; readonly kind: ScriptField["kind"] },
  { analysis, analyseText }: CompletionContext,
): Promise<ObservedScript> {
  const under = pathAt(root, offset);
  // The messages of a test condition depend on the fields next to it, which may be new as well.
  const known = analysis && analysis.tests === undefined ? scriptUnder(analysis, path, under) : undefined;
  if (known !== undefined) return known;
  const { start, end } = offsetsOf(node.span);
  const text = file.text.slice(0, start) + harmless[kind] + file.text.slice(end);
  return scriptUnder(await analyseText(text), path, under) ?? unknownScript;
}

/** Scripts that are valid everywhere and read the message: a constant would not be checked for each message. */
const harmless: Readonly<Record<ScriptField["kind"], string>> = {
  Mapping: "root = this",
  Query: "this == this",
  Template: "${! 1 }",
};

/** A script about which nothing is known. */
const unknownScript: ObservedScript = {
  field: {
    kind: "Query",
    query: { kind: "NullLiteral", span: { source: createSourceFile("", ""), start: 0, end: 0 } },
    span: { source: createSourceFile("", ""), start: 0, end: 0 },
  },
  message: anyMessage,
  origin: anyMessage,
  scope: {},
  types: new Map(),
  failures: [],
};
