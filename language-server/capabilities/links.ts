// The files that a document names, as links: documents of a set, imported mappings, references to other files, and the files that
// components read and write.

import type { DocumentLink } from "vscode-languageserver";
import { resolvePath } from "../../compiler/parse/document/paths.ts";
import { parseReference } from "../../compiler/parse/references/pointer.ts";
import type { Span } from "../../compiler/source/source.ts";
import type { DocumentNode, MapEntry } from "../../compiler/trees/document.ts";
import { walk } from "../../compiler/trees/walk.ts";
import type { Schema } from "../../schemas/schema.ts";
import { type Analysis, dialectOf, documentAt } from "../analysis/analysis.ts";
import { walkFields } from "../analysis/document-names.ts";
import { type DocumentPlace, ownPlace } from "../analysis/document-place.ts";
import { rangeOf } from "../analysis/positions.ts";
import { treeOf } from "../analysis/scripts.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { OpenTexts } from "../workspace/texts.ts";

/** Characters of a document above which only the links of its scripts are looked for. */
const largeText = 1_000_000;

/** The links of a document, each once. */
export function documentLinks(analysis: Analysis, path: string, texts: OpenTexts): readonly DocumentLink[] {
  const found = new Map<string, DocumentLink>();
  const add = (span: Span, name: string): void => {
    const { file } = span.source;
    if (absolutePath(file.path) !== path || /^[a-z][a-z0-9+.-]+:/i.test(name)) return;
    const range = rangeOf(span);
    const target = texts.uriOf(absolutePath(resolvePath(file.path, name)));
    found.set(JSON.stringify(range), { range, target });
  };
  const document = documentAt(analysis, path);
  if (document !== undefined && document.file.text.length <= largeText) {
    addNamed(document.root, add);
    walkFields(ownPlace(document.root), dialectOf(analysis).components, (place) => {
      for (const each of pathsAt(place)) add(each.span, each.path);
    });
  }
  for (const { field } of analysis.scripts)
    walk(treeOf(field), { Import: (statement) => add(statement.path.span, statement.path.value) });
  return [...found.values()];
}

/** Anything but one file: what only the start of a gateway tells, patterns, and texts over several lines. */
const noPath = /[*?{}[\]$\n]/;

/** The files at a place whose schema says that it names some. */
function pathsAt({ schema, node }: DocumentPlace): readonly { readonly span: Span; readonly path: string }[] {
  if (schema === undefined || !namesFiles(schema)) return [];
  const texts = node.kind === "list" ? node.items : [node];
  return texts.flatMap(({ span, ...each }) => {
    const path =
      each.kind === "scalar" && typeof each.value === "string" ? each.value.replace(/^file:\/\//, "") : "";
    return path === "" || noPath.test(path) ? [] : [{ span, path }];
  });
}

/** Whether a text of that schema is the path of a file. */
export function namesFiles(schema: Schema): boolean {
  const isRead = schema["x-read-into"] !== undefined || schema["x-read-protobuf-into"] !== undefined;
  return isRead || schema["x-file"] === true || schema["x-format"] === "file-path";
}

type Add = (span: Span, name: string) => void;

function addNamed(node: DocumentNode, add: Add): void {
  if (node.kind === "scalar") return;
  const children = node.kind === "list" ? node.items : node.entries.map((entry) => named(entry, add));
  for (const child of children) addNamed(child, add);
}

/** The value of an entry, after the files were added that it names itself. */
function named({ key, value }: MapEntry, add: Add): DocumentNode {
  const isText = value.kind === "scalar" && typeof value.value === "string";
  const reference = key === "$ref" && isText ? parseReference(String(value.value)) : undefined;
  if (reference?.kind === "place" && reference.path !== undefined) add(value.span, reference.path);
  if (key === "apis" && value.kind === "list")
    for (const item of value.items)
      if (item.kind === "scalar" && !/[*?{[]/.test(String(item.value))) add(item.span, String(item.value));
  return value;
}
