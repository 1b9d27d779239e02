// An item of an `x-gw-ignore` in, the edit that takes it out of its file. Looks at the text, as trees do not know
// commas, dashes and indentation; gives nothing where a comment or anything unusual stands in the way.

import type { Edit } from "../../diagnostics/diagnostic.ts";
import { type Span, spanOf } from "../../source/source.ts";
import type { DocumentNode } from "../../trees/document.ts";

/** What of an `x-gw-ignore` removing needs. */
export interface Removable {
  readonly value: DocumentNode;
  readonly keySpan: Span;
  readonly isOnly: boolean;
}

/** Takes `item` out of the list; the last item goes with the key, unless that is all its object holds. */
export function removeItem(item: DocumentNode, { value, keySpan, isOnly }: Removable): Edit | undefined {
  if (value.kind !== "list" || keySpan.end > value.span.start) return undefined;
  const between = keySpan.source.text.slice(keySpan.end, value.span.start);
  // Behind an alias the value stands elsewhere, behind an anchor it is meant for others too.
  if (!/^"?\s*:\s*(?:#.*\n\s*)*$/.test(between)) return undefined;
  if (value.items.length > 1) return removePart(partOf(item.span, item.span.end, true));
  return isOnly || between.includes("#") ? undefined : removePart(partOf(keySpan, value.span.end, false));
}

/** An item of a list or an entry of an object: its text, and the texts before and after it. */
interface Part {
  readonly span: Span;
  readonly isItem: boolean;
  readonly before: string;
  readonly after: string;
}

/** Spans of keys may leave out their quotes, those of blocks may take in line breaks. */
function partOf(from: Span, until: number, isItem: boolean): Part {
  const { text } = from.source;
  const start = text[from.start - 1] === '"' && text[from.start] !== '"' ? from.start - 1 : from.start;
  const end = start + text.slice(start, until).trimEnd().length;
  const span = spanOf(from.source, start, end);
  return { span, isItem, before: text.slice(0, start), after: text.slice(end) };
}

function removePart(part: Part): Edit | undefined {
  const next = /^\s*([,\]}])/.exec(part.after)?.[1];
  if (next === ",") return removeFirst(part);
  return next === undefined ? removeLines(part) : removeLast(part);
}

/** Between brackets and before others: up to the next one. */
function removeFirst({ span, after }: Part): Edit | undefined {
  const gap = /^\s*,\s*(?=[^\s#])/.exec(after)?.[0];
  return gap === undefined ? undefined : cut(span, span.start, span.end + gap.length);
}

/** Between brackets and behind others: with the comma before it. Alone there, it has none. */
function removeLast({ span, before }: Part): Edit | undefined {
  const gap = /,\s*$/.exec(before)?.[0];
  return gap === undefined ? undefined : cut(span, span.start - gap.length, span.end);
}

/** In a block: its lines, where nothing else is on them. The first key behind a dash leaves the dash to the next. */
function removeLines({ span, isItem, before, after }: Part): Edit | undefined {
  const led = before.slice(before.lastIndexOf("\n") + 1);
  const rest = /^[ \t]*(?:\r?\n|$)/.exec(after)?.[0];
  if (rest === undefined || !/^ *(?:- +)?$/.test(led)) return undefined;
  const end = span.end + rest.length;
  if (isItem === led.includes("-")) return cut(span, span.start - led.length, end);
  const indent = /^ *(?=[^\s#])/.exec(after.slice(rest.length))?.[0].length;
  return !isItem && indent === led.length ? cut(span, span.start, end + indent) : undefined;
}

function cut({ source }: Span, start: number, end: number): Edit {
  return { span: spanOf(source, start, end), text: "" };
}
