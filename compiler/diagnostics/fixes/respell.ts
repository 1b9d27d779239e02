// The commonest fix: a misspelt name gives way to the nearest one there is.

import { type Span, spanOf } from "../../source/source.ts";
import type { Fix } from "../diagnostic.ts";
import type { Nearest } from "../suggest.ts";
import { findFileRange } from "./file-range.ts";

/**
 * Puts the nearest name where `written` stands in `span`, which holds nothing else but a sign before or
 * after the name (`$name`, `"name"`). Where the text is another, as when it comes from the default of an
 * environment reference, there is no fix.
 */
export function respell(
  span: Span,
  written: string,
  { closest, respelling }: Partial<Nearest>,
): Fix | undefined {
  if (closest === undefined || respelling === undefined || written === "") return undefined;
  const text = span.source.text.slice(span.start, span.end);
  const at = text.indexOf(written);
  const isOnlyName =
    at !== -1 && /^\W?$/.test(text.slice(0, at)) && /^\W?$/.test(text.slice(at + written.length));
  if (!isOnlyName) return undefined;
  const start = span.start + at;
  return replaceText(spanOf(span.source, start, start + written.length), closest, respelling === "sure");
}

/**
 * Puts the nearest name where `written` stands in `span` once and whole, as in a reference, a path or a server's address. What
 * is meant is a guess: nothing is put right without a look.
 */
export function respellPart(span: Span, written: string, closest: string | undefined): Fix | undefined {
  if (closest === undefined || written === "") return undefined;
  const text = span.source.text.slice(span.start, span.end);
  const at = text.indexOf(written);
  const isThere = at !== -1 && !text.includes(written, at + 1);
  if (!isThere || /[\w-]$/.test(text.slice(0, at)) || /^[\w-]/.test(text.slice(at + written.length)))
    return undefined;
  const start = span.start + at;
  return replaceText(spanOf(span.source, start, start + written.length), closest, false);
}

/** Puts `text` in place of `span`. */
export function replaceText(span: Span, text: string, isSafe: boolean): Fix {
  return { title: `Write \`${text}\`.`, isSafe, edits: [{ span, text }] };
}

/** Puts `text`, which is written in the mapping language, in place of `span`. */
export function rewrite(span: Span, text: string): Fix {
  return {
    title: `Write \`${text.trim()}\`.`,
    isSafe: false,
    edits: [{ span, text, language: "mapping" }],
  };
}

/** What a text without quotes may consist of anywhere in YAML: no sign of its language may begin it, and none may end it early. */
const unquoted = /^(?![!&*%@?|>'"`-])(?!.*(?:: |:$| #))[^,[\]{}\s](?:[^,[\]{}\r\n]*[^,[\]{}\s])?$/;

/**
 * Puts `text` in place of `span`, the whole of a string of a document: in the quotes that it has, or in new ones where it needs
 * some.
 */
export function replaceString(span: Span, text: string): Fix | undefined {
  const range = findFileRange(span);
  const { file, start, end } = range ?? { file: span.source.file, start: 0, end: 0 };
  if (range === undefined || /[\r\n]/.test(file.text.slice(start, end) + text)) return undefined;
  const [before, after] = [file.text.charAt(start - 1), file.text.charAt(end)];
  const isQuoted = (before === '"' || before === "'") && before === after;
  const isBlock = /[|>][-+\d]*[ \t]*(?:#.*)?\r?\n\s*$/.test(file.text.slice(Math.max(0, start - 200), start));
  const isPlain = isQuoted || isBlock || unquoted.test(text);
  const written = isPlain ? inQuotes(text, before) : JSON.stringify(text);
  return {
    title: `Write \`${text}\`.`,
    isSafe: false,
    edits: [{ span: spanOf(file, start, end), text: written, language: "document" }],
  };
}

/** A text as it stands between quotes of a document. */
export function inQuotes(text: string, quote: string): string {
  if (quote === '"') return JSON.stringify(text).slice(1, -1);
  return quote === "'" ? text.replaceAll("'", "''") : text;
}
