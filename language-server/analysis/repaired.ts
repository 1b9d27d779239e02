// Text that is being written mostly does not parse where the pointer stands. With a name put there it does, in one form or
// another; the name then shows where in the tree the pointer is.

import type { ScriptField } from "../../compiler/check/observer.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { isJson, parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { parseMapping, parseQuery, parseTemplate } from "../../compiler/parse/mapping/parser.ts";
import {
  createSourceFile,
  offsetsOf,
  type SourceFile,
  type SourceText,
} from "../../compiler/source/source.ts";
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
}

/** The document of a text with the name at `offset`; `undefined` where no form of it parses. */
export function repairDocument(path: string, text: string, offset: number): RepairedDocument | undefined {
  const before = text.slice(0, offset);
  const after = text.slice(offset);
  const isNameLine =
    /(?:^|\n)[ \t]*(?:-[ \t]+)*[\w-]*$/.test(before) && /^[\w-]*[ \t]*(?:\r?\n|$)/.test(after);
  const forms = isJson(createSourceFile(path, text))
    ? jsonForms
    : isNameLine
      ? [`${placeholder}:`, placeholder]
      : [placeholder, `${placeholder}:`, `${placeholder} `, `"${placeholder}"`];
  const open = openOnLine(before, after);
  const endings = open === "" ? [""] : ["", open];
  const attempts = endings.flatMap((ending) => forms.map((form) => ({ form, ending, after })));
  // A key in quotes that has no value yet.
  const closing = forms === jsonForms ? /^[^"\r\n]*"/.exec(after)?.[0] : undefined;
  if (closing !== undefined)
    for (const tail of ["", ","])
      attempts.push({ form: `${placeholder}": null${tail}`, ending: "", after: after.slice(closing.length) });
  for (const { form, ending, after: rest } of attempts) {
    const word = form.endsWith(":") ? (/^[\w-]*/.exec(rest)?.[0] ?? "") : "";
    const file = createSourceFile(path, before + word + form + ending + rest.slice(word.length));
    const sink = createSink();
    const root = parseDocument(file, sink.report);
    const isKey = root === undefined ? undefined : findPlaceholder(root, offset);
    if (root === undefined || isKey === undefined) continue;
    // A key that became a part of a text is none.
    if (form.endsWith(":") && !isKey) continue;
    return { file, root, offset: file.text.indexOf(placeholder, offset), isKey };
  }
  return undefined;
}

/** What closes the quotes and brackets that are open at the pointer, and that the rest of its line does not close. */
function openOnLine(before: string, after: string): string {
  let quote = "";
  let closing = "";
  // A quote within a word is an apostrophe.
  let isWord = false;
  for (const character of before.slice(before.lastIndexOf("\n") + 1)) {
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
