// Parses text that is incomplete at the pointer. Text that is being typed usually does not parse; with a placeholder
// name at the pointer it does, in one form or another. The placeholder then shows the position of the pointer in the
// tree.

import type { ScriptField } from "../../compiler/check/observer.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { changeTree } from "../../compiler/parse/document/change-tree.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { withEntries } from "../../compiler/parse/json/skim-json.ts";
import { parseMapping, parseQuery, parseTemplate } from "../../compiler/parse/mapping/parser.ts";
import { findChange, type TextChange } from "../../compiler/source/edited-places.ts";
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

/** The placeholder name at the pointer, which no author would write. */
export const placeholder = "xSluicePointerx";

/** The placeholder as a text in quotes, where none are written yet. */
export const asText = `"${placeholder}"`;

/** A document with the placeholder. */
export interface RepairedDocument {
  readonly file: SourceFile;
  readonly root: DocumentNode;
  /** The offset of the placeholder in the file. */
  readonly offset: number;
  /** Whether the placeholder is part of a key. */
  readonly isKey: boolean;
  /** The inserted text that makes the document parse: the placeholder, with missing quotes, a value and commas. */
  readonly form: string;
  /** Returns a part of the text of the file, without creating all of it. */
  readonly slice: (start: number, end: number) => string;
}

/**
 * Returns the document of a text with the placeholder at `offset`; `undefined` if no form of it parses. `known`: the
 * document as it was last parsed, so that only a part of a large document has to be parsed again.
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
    (part && findForm(attempts(), offset, createPartParser(part, text))) ??
    findForm(attempts(), offset, ({ file }) => parseDocument(file, createSink().report))
  );
}

/** A document and its tree. */
type KnownDocument = Pick<LoadedDocument, "file" | "root">;

/** The size in characters above which a text is parsed in part, if possible. */
const largeText = 10_000;

/**
 * Returns a function that parses a text with the placeholder by updating the tree of the previous text. It returns
 * `undefined` if more than one part has changed.
 */
function createPartParser(
  known: KnownDocument,
  text: string,
): (attempt: Attempt) => DocumentNode | undefined {
  // If the next check is already working on a tree, its source ranges refer to another text.
  if (known.file.file !== known.file) return () => undefined;
  const typed = findChange(known.file.text, text);
  return ({ file, slice, inserted }) => {
    const change = changeAfter(typed, inserted);
    const version = {
      newest: file,
      get text() {
        return file.text;
      },
      offsetInFile: (offset: number) => offset,
    };
    const changed = changeTree(known, { slice, version, change });
    const growth = change.length - (change.end - change.start);
    return changed && moveFollowing(changed.root, file, growth);
  };
}

/** Returns the change from the text before `first` to the text after `second`, which changes the result of `first`. */
function changeAfter(first: TextChange, second: TextChange): TextChange {
  if (first.end === first.start && first.length === 0) return second;
  const end = first.start + first.length;
  const [from, to] = [Math.min(first.start, second.start), Math.max(end, second.end)];
  return {
    start: from,
    end: first.end + to - end,
    length: to - from + second.length - (second.end - second.start),
  };
}

/**
 * Corrects the source ranges of keys after the part that was parsed again, in the maps and lists around it. The
 * positions of following list items are not needed, so they are removed.
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
    const moved = {
      text,
      file,
      offsetInFile: (offset: number) => source.offsetInFile(offset) + growth,
      endInFile: (offset: number) => source.endInFile(offset) + growth,
    };
    return { ...entry, keySpan: { source: moved, start, end } };
  });
  return withEntries(node, entries, node.span);
}

/** A way to insert the placeholder into a text. */
interface Attempt {
  readonly form: string;
  /** The text with the placeholder, composed on first access: large texts are usually read in part. */
  readonly file: SourceFile;
  readonly slice: (start: number, end: number) => string;
  readonly inserted: TextChange;
  /** The offset of the placeholder. */
  readonly offset: number;
}

/** Yields the text with the placeholder in each form, the most likely first. */
function* attemptsOf(path: string, text: string, offset: number): Iterable<Attempt> {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  const after = text.slice(offset);
  const isNameLine = /^[ \t]*(?:-[ \t]+)*[\w-]*$/.test(line) && /^[\w-]*[ \t]*(?:\r?\n|$)/.test(after);
  const forms = isJson(createSourceFile(path, text))
    ? jsonForms
    : isNameLine
      ? [`${placeholder}:`, placeholder]
      : [placeholder, `${placeholder}:`, `${placeholder} `, asText];
  const open = openOnLine(line, after);
  const attempt = (form: string, word: string, ending: string, replaced: number) =>
    createAttempt({ path, text, offset, form }, { word, ending, replaced });
  for (const ending of open === "" ? [""] : ["", open])
    for (const form of forms) {
      const word = form.endsWith(":") ? (/^[\w-]*/.exec(after)?.[0] ?? "") : "";
      yield attempt(form, word, ending, word.length);
    }
  // A key in quotes that has no value yet.
  const closing = forms === jsonForms ? /^[^"\r\n]*"/.exec(after)?.[0] : undefined;
  if (closing === undefined) return;
  for (const tail of ["", ","]) yield attempt(`${placeholder}": null${tail}`, "", "", closing.length);
}

function createAttempt(
  {
    path,
    text,
    offset,
    form,
  }: { readonly path: string; readonly text: string; readonly offset: number; readonly form: string },
  { word, ending, replaced }: { readonly word: string; readonly ending: string; readonly replaced: number },
): Attempt {
  const inserted = word + form + ending;
  const end = offset + inserted.length;
  const growth = inserted.length - replaced;
  const slice = (from: number, to: number) =>
    text.slice(Math.min(from, offset), Math.min(to, offset)) +
    inserted.slice(Math.max(0, from - offset), Math.max(0, to - offset)) +
    text.slice(Math.max(from, end) - growth, Math.max(to, end) - growth);
  return {
    form,
    file: createFileOnDemand(path, () => slice(0, text.length + growth)),
    slice,
    inserted: { start: offset, end: offset + replaced, length: inserted.length },
    offset: offset + word.length + form.indexOf(placeholder),
  };
}

function createFileOnDemand(path: string, read: () => string): SourceFile {
  let whole: SourceFile | undefined;
  const found = () => {
    whole ??= createSourceFile(path, read());
    return whole;
  };
  const file: SourceFile = {
    path,
    isMarked: false,
    get text() {
      return found().text;
    },
    get lineStarts() {
      return found().lineStarts;
    },
    get file() {
      return file;
    },
    offsetInFile: (offset) => offset,
    endInFile: (offset) => offset + 1,
  };
  return file;
}

/** Returns the first form of a text that `parse` can parse with the placeholder in the right place. */
function findForm(
  attempts: Iterable<Attempt>,
  offset: number,
  parse: (attempt: Attempt) => DocumentNode | undefined,
): RepairedDocument | undefined {
  for (const attempt of attempts) {
    const root = parse(attempt);
    const isKey = root === undefined ? undefined : findPlaceholder(root, offset);
    if (root === undefined || isKey === undefined) continue;
    const { form, file, slice } = attempt;
    // A key that became part of a text is not a key.
    if (form.endsWith(":") && !isKey) continue;
    return { file, root, offset: attempt.offset, isKey, form, slice };
  }
  return undefined;
}

/**
 * Returns the characters that close the quotes and brackets that are open at the pointer, unless the rest of the line
 * closes them.
 */
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
  asText,
  `"${placeholder}": null`,
  `"${placeholder}": null,`,
  `, "${placeholder}": null`,
  `"${placeholder}",`,
];

/**
 * Whether the placeholder is in a key of the tree; `undefined` if it is nowhere. It is at `offset` or immediately
 * after it: large objects elsewhere are not searched.
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

/** A script with the placeholder. */
export interface RepairedScript {
  readonly tree: ScriptTree;
  /** The nodes from the root to the placeholder, the outermost first. */
  readonly nodes: readonly MappingNode[];
}

/** Parses a script that contains the placeholder; `undefined` if the part around the placeholder parses in no form. */
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

/**
 * Yields the text itself, then variants that close the open brackets after the placeholder, keeping or replacing the
 * rest of the line.
 */
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
  // A block that continues below stays open.
  yield `${text.slice(0, start)}root.${placeholder} = null${rest}`;
}

/** Returns the characters that close the brackets that are open at the end of a line. */
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
