// Text that is being written mostly does not parse where the pointer stands. With a name put there it does, in one form or
// another; the name then shows where in the tree the pointer is.

import type { ScriptField } from "../../compiler/check/observer.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { changeTree } from "../../compiler/parse/document/change-tree.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { withEntries } from "../../compiler/parse/json/skim-json.ts";
import { parseMapping, parseQuery, parseTemplate } from "../../compiler/parse/mapping/parser.ts";
import { findChange } from "../../compiler/source/edited-places.ts";
import {
  createSourceFile,
  isJson,
  offsetsOf,
  type SourceFile,
  type SourceText,
} from "../../compiler/source/source.ts";
import type { LoadedDocument } from "../../compiler/trees/api.ts";
import type { DocumentNode } from "../../compiler/trees/document.ts";
import type { MappingNode } from "../../compiler/trees/mapping.ts";
import { childrenOf } from "../../compiler/trees/walk.ts";
import type { ScriptTree } from "./scripts.ts";

/** The name at the pointer, which no author writes. */
export const placeholder = "xSluicePointerx";

/** A document with the name in it. */
export interface RepairedDocument {
  readonly file: SourceFile;
  readonly root: DocumentNode;
  /** Where the name begins in the file. */
  readonly offset: number;
  /** Whether it stands in a key. */
  readonly isKey: boolean;
  /** What was put in for it to be read: the name, and quotes, a value and commas where they are not there. */
  readonly form: string;
}

/**
 * The document of a text with the name at `offset`; `undefined` where no form of it parses. `known`: the document as it was read
 * last, of which a large one is read again in part only.
 */
export function repairDocument(
  path: string,
  text: string,
  offset: number,
  known?: KnownDocument,
): RepairedDocument | undefined {
  const attempts = () => attemptsOf(path, text, offset);
  const part = known !== undefined && text.length > largeText ? known : undefined;
  return (
    (part && findForm(attempts(), offset, (file) => changedPart(part, file))) ??
    findForm(attempts(), offset, (file) => parseDocument(file, createSink().report))
  );
}

/** A document and its tree. */
type KnownDocument = Pick<LoadedDocument, "file" | "root">;

/** Texts of more characters are read in part where that is possible. */
const largeText = 10_000;

/** The tree of a text by that of the text before it; `undefined` where more than a part of it is other. */
function changedPart(known: KnownDocument, file: SourceFile): DocumentNode | undefined {
  // The places of a tree that the next check works on are those of another text.
  if (known.file.file !== known.file) return undefined;
  const change = findChange(known.file.text, file.text);
  const version = { newest: file, text: file.text, offsetInFile: (offset: number) => offset };
  const changed = changeTree(known, { file, version, change });
  const growth = change.length - (change.end - change.start);
  return changed && moveFollowing(changed.root, file, growth);
}

/**
 * The maps and lists around what was read again, with the places in the new text of what follows it: of keys, which are what
 * is looked for. Items that follow tell nothing of the place.
 */
function moveFollowing(node: DocumentNode, file: SourceFile, growth: number): DocumentNode {
  const isNew = ({ span }: DocumentNode) => span.source.file === file;
  if (node.kind === "scalar" || !isNew(node)) return node;
  if (node.kind === "list") {
    const at = node.items.findIndex(isNew);
    const around = node.items[at];
    if (around === undefined) return node;
    return { ...node, items: [...node.items.slice(0, at), moveFollowing(around, file, growth)] };
  }
  const at = node.entries.findIndex(({ value }) => isNew(value));
  const entries = node.entries.map((entry, index) => {
    if (index === at) return { ...entry, value: moveFollowing(entry.value, file, growth) };
    const { source, start, end } = entry.keySpan;
    if (index < at || source.file === file) return entry;
    const { text } = source;
    const moved = { text, file, offsetInFile: (offset: number) => source.offsetInFile(offset) + growth };
    return { ...entry, keySpan: { source: moved, start, end } };
  });
  return withEntries(node, entries, node.span);
}

/** How the name is put into a text. */
interface Attempt {
  readonly form: string;
  readonly file: SourceFile;
}

/** The text with the name in it in each form, the likeliest first. */
function* attemptsOf(path: string, text: string, offset: number): Iterable<Attempt> {
  const before = text.slice(0, offset);
  const after = text.slice(offset);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const isNameLine = /^[ \t]*(?:-[ \t]+)*[\w-]*$/.test(line) && /^[\w-]*[ \t]*(?:\r?\n|$)/.test(after);
  const forms = isJson(createSourceFile(path, text))
    ? jsonForms
    : isNameLine
      ? [`${placeholder}:`, placeholder]
      : [placeholder, `${placeholder}:`, `${placeholder} `, `"${placeholder}"`];
  const open = openOnLine(line, after);
  for (const ending of open === "" ? [""] : ["", open])
    for (const form of forms) {
      const word = form.endsWith(":") ? (/^[\w-]*/.exec(after)?.[0] ?? "") : "";
      const file = createSourceFile(path, before + word + form + ending + after.slice(word.length));
      yield { form, file };
    }
  // A key in quotes that has no value yet.
  const closing = forms === jsonForms ? /^[^"\r\n]*"/.exec(after)?.[0] : undefined;
  if (closing === undefined) return;
  for (const tail of ["", ","]) {
    const form = `${placeholder}": null${tail}`;
    yield { form, file: createSourceFile(path, before + form + after.slice(closing.length)) };
  }
}

/** The first form of a text that `parse` reads with the name where it belongs. */
function findForm(
  attempts: Iterable<Attempt>,
  offset: number,
  parse: (file: SourceFile) => DocumentNode | undefined,
): RepairedDocument | undefined {
  for (const { form, file } of attempts) {
    const root = parse(file);
    const isKey = root === undefined ? undefined : findPlaceholder(root, offset);
    if (root === undefined || isKey === undefined) continue;
    // A key that became a part of a text is not one.
    if (form.endsWith(":") && !isKey) continue;
    return { file, root, offset: file.text.indexOf(placeholder, offset), isKey, form };
  }
  return undefined;
}

/** What closes the quotes and brackets that are open at the pointer, and that the rest of its line does not close. */
function openOnLine(line: string, after: string): string {
  let quote = "";
  let closing = "";
  // A quote within a word is an apostrophe.
  let isWord = false;
  for (const character of line) {
    if (quote !== "") {
      if (character === quote) quote = "";
      continue;
    }
    if (!isWord && (character === '"' || character === "'")) quote = character;
    else if (character === "[" || character === "{") closing = (character === "[" ? "]" : "}") + closing;
    else if (character === closing[0]) closing = closing.slice(1);
    isWord = !/[\s[\]{},:]/.test(character);
  }
  const rest = /^[^\r\n]*/.exec(after)?.[0] ?? "";
  if (quote !== "" && rest.includes(quote)) return "";
  const closed = rest.replaceAll(/\[[^[\]]*\]|\{[^{}]*\}|[^\]}]/g, "").length;
  return quote + closing.slice(0, Math.max(0, closing.length - closed));
}

const jsonForms: readonly string[] = [
  placeholder,
  `"${placeholder}"`,
  `"${placeholder}": null`,
  `"${placeholder}": null,`,
  `, "${placeholder}": null`,
  `"${placeholder}",`,
];

/**
 * Whether the name stands in a key of the tree; `undefined` where it stands nowhere. It stands at `offset` or right behind
 * it: large objects elsewhere are not read.
 */
function findPlaceholder(node: DocumentNode, offset: number): boolean | undefined {
  if (node.kind === "scalar") return String(node.value).includes(placeholder) ? false : undefined;
  const { start, end } = offsetsOf(node.span);
  if (node.kind === "map" && (end < offset || start > offset + 2 * placeholder.length)) return undefined;
  if (node.kind === "list") {
    for (const item of node.items) {
      const found = findPlaceholder(item, offset);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (const { key, value } of node.entries) {
    if (key.includes(placeholder)) return true;
    const found = findPlaceholder(value, offset);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A script with the name in it. */
export interface RepairedScript {
  readonly tree: ScriptTree;
  /** The nodes that lead to the name, the outermost first. */
  readonly nodes: readonly MappingNode[];
}

/** Reads a script that holds the name; `undefined` where the part around the name cannot be read in any form. */
export function repairScript(source: SourceText, kind: ScriptField["kind"]): RepairedScript | undefined {
  for (const text of scriptForms(source.text)) {
    const repaired = text === source.text ? source : createSourceFile(source.file.path, text);
    const tree = parseScript(repaired, kind);
    const nodes = tree && pathToPlaceholder(tree);
    if (tree !== undefined && nodes !== undefined) return { tree, nodes };
  }
  return undefined;
}

function parseScript(source: SourceText, kind: ScriptField["kind"]): ScriptTree | undefined {
  const silent = () => {};
  if (kind === "Mapping") return parseMapping(source, silent);
  return kind === "Query" ? parseQuery(source, silent) : parseTemplate(source, silent);
}

/** The text itself; with what is open closed behind the name; and with that in place of the rest of the line. */
function* scriptForms(text: string): Iterable<string> {
  yield text;
  const start = text.indexOf(placeholder);
  const end = start + placeholder.length;
  const lineEnd = /\r?\n|$/.exec(text.slice(end))?.index ?? 0;
  const before = text.slice(text.lastIndexOf("\n", start) + 1, start);
  const closers = closersOf(before);
  const rest = text.slice(end + lineEnd);
  const head = text.slice(0, end);
  const tail = text.slice(end);
  for (const close of [
    closers,
    `"${closers}`,
    `: null${closers}`,
    ` => null${closers}`,
    ` { root = this }${closers}`,
    ` { this }${closers}`,
  ]) {
    yield head + close + tail;
    yield head + close + rest;
  }
  // A block that goes on below stays open.
  yield `${text.slice(0, start)}root.${placeholder} = null${rest}`;
}

/** What closes the brackets that are open at the end of a line. */
function closersOf(line: string): string {
  const open: string[] = [];
  for (const [token] of line.matchAll(/"(?:[^"\\]|\\.)*"|[([{)\]}]/g)) {
    if (token === "(") open.unshift(")");
    else if (token === "[") open.unshift("]");
    else if (token === "{") open.unshift("}");
    else if (!token.startsWith('"')) open.shift();
  }
  return open.join("");
}

function pathToPlaceholder(node: MappingNode): readonly MappingNode[] | undefined {
  if (namesPlaceholder(node)) return [node];
  for (const child of childrenOf(node)) {
    const below = pathToPlaceholder(child);
    if (below !== undefined) return [node, ...below];
  }
  return undefined;
}

function namesPlaceholder(node: MappingNode): boolean {
  switch (node.kind) {
    case "Name":
      return node.text.includes(placeholder);
    case "StringLiteral":
      return node.value.includes(placeholder);
    case "Variable":
    case "ContextName":
      return node.name.includes(placeholder);
    default:
      return false;
  }
}
