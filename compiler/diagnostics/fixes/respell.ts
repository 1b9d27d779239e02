// The most common fix: replaces a misspelt name by the most similar known one.

import { type Span, spanOf } from "../../source/source.ts";
import type { Fix } from "../diagnostic.ts";
import type { Nearest } from "../suggest.ts";
import { findFileRange } from "./file-range.ts";

/**
 * Replaces `written` in `span` by the most similar name. `span` may contain only the name and a sign before or after it
 * (`$name`, `"name"`). Returns no fix if the text differs, for example because it comes from the default of an
 * environment reference.
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
 * Replaces `written` by the most similar name if it occurs exactly once as a whole word in `span`, such as in a
 * reference, a path or a server's address. The name is a guess, so the fix is never safe.
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

/** Replaces `span` by `text`. */
export function replaceText(span: Span, text: string, isSafe: boolean): Fix {
  return { title: `Write \`${text}\`.`, isSafe, edits: [{ span, text }] };
}

/** Replaces `span` by `text`, which is in the mapping language. */
export function rewrite(span: Span, text: string): Fix {
  return {
    title: `Write \`${text.trim()}\`.`,
    isSafe: false,
    edits: [{ span, text, language: "mapping" }],
  };
}

/** Text that needs no quotes anywhere in YAML: no YAML sign begins it or ends it early. */
const unquoted = /^(?![!&*%@?|>'"`-])(?!.*(?:: |:$| #))[^,[\]{}\s](?:[^,[\]{}\r\n]*[^,[\]{}\s])?$/;

/**
 * Replaces `span`, a whole string of a document, by `text`, in its existing quotes or in new ones if the text needs
 * quotes.
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

/** Returns a text with the escapes that it needs between quotes of a document. */
export function inQuotes(text: string, quote: string): string {
  if (quote === '"') return JSON.stringify(text).slice(1, -1);
  return quote === "'" ? text.replaceAll("'", "''") : text;
}
