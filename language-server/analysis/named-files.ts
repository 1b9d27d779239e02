// Finds the file names in documents and mappings: documents of a set, imported mappings, references to other files, the
// documents that unit tests refer to, and the files that components read and write.

import { resolvePath } from "../../compiler/parse/document/paths.ts";
import { type Span, spanOf } from "../../compiler/source/source.ts";
import type { DocumentNode, MapEntry, ScalarNode } from "../../compiler/trees/document.ts";
import type { StringLiteral } from "../../compiler/trees/mapping.ts";
import { parseReference } from "../../compiler/trees/pointer.ts";
import type { Schema } from "../../schemas/schema.ts";
import { absolutePath } from "../workspace/paths.ts";
import { type Analysis, dialectOf } from "./analysis.ts";
import { insideQuotes } from "./collected-names.ts";
import { walkFields } from "./document-names.ts";
import { type DocumentPlace, ownPlace } from "./document-place.ts";
import { importedMappings } from "./script-names.ts";
import { treeOf } from "./scripts.ts";

/** A file name in a document or mapping. */
export interface NamedFile {
  /** The absolute path of the file. */
  readonly target: string;
  /** The path without escapes. */
  readonly written: string;
  /** The source range of the whole text that contains the path. */
  readonly span: Span;
  /** The source range of the path alone; absent if it is written with escapes. */
  readonly pathSpan?: Span | undefined;
  /** The syntax: a text of a document, a `$ref` with percent escapes, or an import of a mapping. */
  readonly form: "text" | "reference" | "import";
}

/** The size of a document in characters above which it is not searched for names. */
const largeText = 1_000_000;

const known = new WeakMap<Analysis, readonly NamedFile[]>();

/** Returns all file names in the documents and mappings of an analysis. */
export function namedFiles(analysis: Analysis): readonly NamedFile[] {
  const found = known.get(analysis) ?? collect(analysis);
  known.set(analysis, found);
  return found;
}

function collect(analysis: Analysis): readonly NamedFile[] {
  const found: NamedFile[] = [];
  const add: Add = (node, path, { form = "text", length = node.text.text.length } = {}) => {
    const { file } = node.span.source;
    if (/^[a-z][a-z0-9+.-]+:/i.test(path)) return;
    const from = node.text.text.startsWith("file://") ? 7 : 0;
    found.push({
      ...{ target: absolutePath(resolvePath(file.path, path)), written: path, span: node.span, form },
      pathSpan: spanOf(node.text, from, length),
    });
  };
  const { set, tests, scripts } = analysis;
  for (const { file, root } of [...(set?.documents ?? []), ...(tests === undefined ? [] : [tests])]) {
    if (file.text.length > largeText) continue;
    addNamed(root, add);
    walkFields(ownPlace(root), dialectOf(analysis).components, (place) => {
      for (const each of pathsAt(place)) add(each.node, each.path);
    });
  }
  for (const path of importsOf(scripts)) {
    const { value, span } = path;
    const target = absolutePath(resolvePath(span.source.file.path, value));
    found.push({ target, written: value, span, pathSpan: insideQuotes(path), form: "import" });
  }
  return found;
}

/** Returns the import paths in scripts and in the mapping files that they import. */
function importsOf(scripts: Analysis["scripts"]): readonly StringLiteral[] {
  const found: StringLiteral[] = [];
  for (const { field, scope } of scripts) {
    const tree = treeOf(field);
    if (tree.kind !== "Mapping") continue;
    for (const mapping of [tree, ...importedMappings(tree, scope)]) {
      if (mapping.from !== undefined) found.push(mapping.from);
      for (const statement of mapping.statements) if (statement.kind === "Import") found.push(statement.path);
    }
  }
  return found;
}

type Add = (
  node: ScalarNode,
  path: string,
  how?: { readonly form?: NamedFile["form"]; readonly length?: number },
) => void;

/** Matches a text that is not the path of one file: variables, patterns, and texts with several lines. */
const noPath = /[*?{}[\]$\n]/;

/** Returns the file paths at a place, if its schema says that it contains any. */
function pathsAt({
  schema,
  node,
}: DocumentPlace): readonly { readonly node: ScalarNode; readonly path: string }[] {
  if (schema === undefined || !namesFiles(schema)) return [];
  return (node.kind === "list" ? node.items : [node]).flatMap((each) => {
    const path = isText(each) ? each.value.replace(/^file:\/\//, "") : "";
    return path === "" || noPath.test(path) || !isText(each) ? [] : [{ node: each, path }];
  });
}

/** Whether a text with this schema is the path of a file. */
export function namesFiles(schema: Schema): boolean {
  const isRead = schema["x-read-into"] !== undefined || schema["x-read-protobuf-into"] !== undefined;
  return isRead || schema["x-file"] === true || schema["x-format"] === "file-path";
}

function isText(node: DocumentNode): node is ScalarNode & { readonly value: string } {
  return node.kind === "scalar" && typeof node.value === "string";
}

function addNamed(node: DocumentNode, add: Add): void {
  if (node.kind === "scalar") return;
  const children = node.kind === "list" ? node.items : node.entries.map((entry) => named(entry, add));
  for (const child of children) addNamed(child, add);
}

/** Adds the file names of an entry itself; returns the value of the entry, to be searched further. */
function named({ key, value }: MapEntry, add: Add): DocumentNode {
  if (key === "apis" && value.kind === "list")
    for (const item of value.items) if (isText(item) && !/[*?{[]/.test(item.value)) add(item, item.value);
  if (!isText(value)) return value;
  const hash = value.value.indexOf("#");
  const reference = key === "$ref" ? parseReference(value.value) : undefined;
  if (reference?.kind === "place" && reference.path !== undefined)
    add(value, reference.path, { form: "reference", length: hash === -1 ? value.value.length : hash });
  if (key === "target_processors" && hash > 0) add(value, value.value.slice(0, hash), { length: hash });
  if (key === "target_mapping" && value.value !== "") add(value, value.value);
  return value;
}
