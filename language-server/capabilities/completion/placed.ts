// Determines the exact range that an item replaces, and uses existing quotes. Without a range, editors replace what
// they consider a word, and they disagree about `#/components`, `/orders` and `"e-mail"`.

import { type CompletionItem, CompletionItemKind, InsertTextFormat, type Range } from "vscode-languageserver";
import { inQuotes } from "../../../compiler/diagnostics/fixes/respell.ts";
import { isJson, offsetsOf } from "../../../compiler/source/source.ts";
import type { DocumentPlace } from "../../analysis/document-place.ts";
import type { RepairedDocument } from "../../analysis/repaired.ts";
import type { ScriptItems } from "./script-items.ts";

/** The text around the pointer, and the conversion of its parts to ranges of the editor. */
export interface Pointed {
  readonly text: string;
  readonly offset: number;
  readonly rangeOf: (start: number, end: number) => Range;
}

/** Places items for a key or a value of a document. */
export function placedInDocument(
  items: readonly CompletionItem[],
  place: DocumentPlace,
  { isKey, file, form, slice }: RepairedDocument,
  { text, offset, rangeOf }: Pointed,
): readonly CompletionItem[] {
  const after = text.slice(offset);
  const begin = quotedStart(
    offsetsOf((isKey ? place.entry?.keySpan : undefined) ?? place.node.span).start,
    slice,
  );
  const variable = /\$\{(\w*)$/.exec(text.slice(Math.max(0, offset - 100), offset))?.[1];
  const start = Math.min(begin, offset);
  const written = text.slice(start, offset);
  const isWord = start < offset && !/[\r\n]/.test(written) && !isKey;
  const quote = /^["']/.exec(written)?.[0] ?? "";
  if (isKey) {
    const rest =
      quote === "" ? (/^[\w-]*/.exec(after)?.[0] ?? "") : (/^[^"'\r\n]*["']?/.exec(after)?.[0] ?? "");
    // Behind a key without quotes, a colon needs a blank.
    const colon = isJson(file) || quote !== "" ? /^\s*:/ : /^[ \t]*:(?:[ \t\r\n]|$)/;
    const hasColon = colon.test(after.slice(rest.length));
    const range = rangeOf(start, offset + rest.length);
    // The lines below a key after the dash of an item are indented by the dash as well.
    const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
    const indent = " ".repeat(/^[ \t]*((?:-[ \t]+)*)$/.exec(line)?.[1]?.length ?? 0);
    const isEntry = isJson(file) && !hasColon;
    const [before, behind] = [
      isEntry && form.startsWith(",") ? ", " : "",
      isEntry && form.endsWith(",") ? "," : "",
    ];
    return items.map((item) => {
      const newText = hasColon
        ? keyAlone(item, quote)
        : (item.insertText ?? item.label).replaceAll("\n", `\n${indent}`);
      return edited(item, range, before + newText + behind);
    });
  }
  if (variable !== undefined) {
    const range = rangeOf(offset - variable.length, offset + wordAt(after));
    return items.map((item) => edited(item, range, item.label));
  }
  if (quote !== "" && isWord) {
    const range = rangeOf(start + 1, offset + (/^[^"'#\r\n]*(?=["'#])/.exec(after)?.[0].length ?? 0));
    return items.map((item) => edited(item, range, item.label));
  }
  // A file name may be followed by a reference into the file, which is kept.
  const isBroken = start < offset && !isWord;
  const rest = isBroken ? 0 : (/^[^\s#,"'[\]{}]*/.exec(after)?.[0].length ?? 0);
  const range = rangeOf(isWord ? start : offset, offset + rest);
  return items.map((item) => edited(item, range, item.insertText));
}

/** Returns the number of characters of the word that follow the pointer. */
function wordAt(after: string): number {
  return /^\w*/.exec(after)?.[0].length ?? 0;
}

/** Returns the start of a value or key including its quote; spans of JSON exclude it. */
export function quotedStart(start: number, slice: RepairedDocument["slice"]): number {
  const isQuote = (at: number) => at >= 0 && /["']/.test(slice(at, at + 1));
  return isQuote(start) || !isQuote(start - 1) ? start : start - 1;
}

/** Places items for a script; `outer`: the quote of the document's text around the script, if it has one. */
export function placedInScript(
  { items, start, isQuoted }: ScriptItems,
  outer: string,
  { text, offset, rangeOf }: Pointed,
): readonly CompletionItem[] {
  const after = text.slice(offset);
  const rest = isQuoted ? (/^[\w./-]*(?=\\?")/.exec(after)?.[0].length ?? 0) : wordAt(after);
  const range = rangeOf(Math.min(start, offset), offset + rest);
  // Only names are valid between quotes: the brackets of a call would become part of the name.
  if (isQuoted)
    return items
      .filter(isName)
      .map((item) => edited(item, range, inQuotes(inQuotes(item.label, '"'), outer)));
  const isCalled = /^\w*\(/.test(after);
  return items.map((item) =>
    edited(
      item,
      range,
      isCalled && isCall(item) ? item.label : inQuotes(item.insertText ?? item.label, outer),
    ),
  );
}

function isCall({ kind, insertText }: CompletionItem): boolean {
  return (
    (kind === CompletionItemKind.Method || kind === CompletionItemKind.Function) &&
    insertText?.includes("(") === true
  );
}

function isName(item: CompletionItem): boolean {
  return item.kind !== CompletionItemKind.Keyword && !isCall(item) && !item.label.startsWith("$");
}

function keyAlone({ label, insertText = label }: CompletionItem, quote: string): string {
  return insertText.startsWith('"') ? JSON.stringify(label) : quote + label + quote;
}

/** Returns the item with its text in a range; it remains a snippet only if it has tab stops. */
function edited(item: CompletionItem, range: Range, newText = item.label): CompletionItem {
  const { insertTextFormat, ...others } = item;
  const isSnippet = insertTextFormat === InsertTextFormat.Snippet && /\$[\d{]/.test(newText);
  return {
    ...others,
    ...(isSnippet && { insertTextFormat }),
    insertText: newText,
    filterText: item.filterText ?? item.label,
    textEdit: { range, newText },
  };
}
