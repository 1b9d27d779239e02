// The commonest fix: a misspelt name gives way to the nearest one there is.

import { type Span, spanOf } from "../../source/source.ts";
import type { Fix } from "../diagnostic.ts";
import type { Nearest } from "../suggest.ts";

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
