// Parses `# sluice-ignore GW4018, reserved-field: reason` to suppressions, one for each code. Ignores other
// comments.

import { catalogue, codeNames, type DiagnosticCode, findCode } from "../../diagnostics/catalogue.ts";
import { type DiagnosticEntry, type Edit, isAdjustable } from "../../diagnostics/diagnostic.ts";
import { type FileRange, findFileRange } from "../../diagnostics/fixes/file-range.ts";
import type { Suppression } from "../../diagnostics/levels.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";

const directive = /^#+[ \t]*sluice-ignore(?![\w-])/;
const codeList = /^[ \t]*[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*/;

/**
 * Returns the suppressions of a comment. They apply to its own line, or to the line below if the line has no diagnostic
 * with the code. A comment alone on its line applies to the line below, after any further comments.
 */
export function readComment(comment: Span, report: Report): readonly Suppression[] {
  const { source, start, end } = comment;
  const text = source.text.slice(start, end);
  const opening = directive.exec(text)?.[0];
  if (opening === undefined) return [];
  const rest = text.slice(opening.length);
  const list = codeList.exec(rest)?.[0];
  const after = list === undefined ? "" : rest.slice(list.length).trimStart();
  if (list === undefined) {
    report("GW4115", comment, { form: "comment" });
    return [];
  }
  const reason = after.startsWith(":") ? after.slice(1).trim() : "";
  if (reason === "") report("GW4112", comment, { form: "comment" });
  const names = namesIn(source, start + opening.length, list);
  const place = findCovered(comment);
  return names.flatMap(({ name, span }, index) => {
    const code = findSuppressible(name, span, report);
    if (code === undefined || reason === "") return [];
    const removal = names.length === 1 ? removeComment(comment) : removeName(names, index);
    const shown = names.length === 1 ? comment : span;
    return [{ code, reason, span: shown, ...place, ...(removal === undefined ? {} : { removal }) }];
  });
}

/** Whether a text may contain a suppression. Most contain none and are not searched. */
export function mayHoldComment(text: string): boolean {
  return text.includes("sluice-ignore");
}

function namesIn(source: SourceText, offset: number, list: string) {
  return [...list.matchAll(/[\w-]+/g)].map(({ 0: name, index }) => ({
    name,
    span: spanOf(source, offset + index, offset + index + name.length),
  }));
}

function findCovered({ source, start, end }: Span): Pick<Suppression, "covers" | "otherwise"> {
  const own = lineAround(source.text, start, end);
  const below = lineAfterComments(source, own.end);
  const next = below && toFile(source, below.start, below.end);
  if (isAlone(source.text, own.start, start)) return { covers: next === undefined ? [] : [next] };
  return {
    covers: [toFile(source, own.start, own.end)],
    ...(next === undefined ? {} : { otherwise: next }),
  };
}

/** The last comments of each text that were passed, and the line after them. */
const passed = new WeakMap<SourceText, { readonly start: number; readonly line: Line | undefined }>();

/** Returns the line below the one that ends at `end`, after comments. Passes each of successive comments once. */
function lineAfterComments(source: SourceText, end: number): Line | undefined {
  const last = passed.get(source);
  if (last !== undefined && last.start <= end && end < (last.line?.start ?? Number.POSITIVE_INFINITY))
    return last.line;
  let line = lineBelow(source.text, end);
  while (line !== undefined && /^[ \t]*#/.test(source.text.slice(line.start, line.end)))
    line = lineBelow(source.text, line.end);
  passed.set(source, { start: end, line });
  return line;
}

interface Line {
  readonly start: number;
  /** Excludes the line break. */
  readonly end: number;
}

function lineAround(text: string, start: number, end: number): Line {
  const lineBreak = text.indexOf("\n", end);
  return {
    start: text.lastIndexOf("\n", start - 1) + 1,
    end: lineBreak === -1 ? text.length : lineBreak,
  };
}

function lineBelow(text: string, end: number): Line | undefined {
  return end >= text.length ? undefined : lineAround(text, end + 1, end + 1);
}

function isAlone(text: string, lineStart: number, start: number): boolean {
  return text.slice(lineStart, start).trim() === "";
}

function toFile(source: SourceText, start: number, end: number): FileRange {
  return { file: source.file, start: source.offsetInFile(start), end: source.offsetInFile(end) };
}

/** Removes one of several names with the comma before it; removes the first with the comma after it. */
function removeName(names: readonly { readonly span: Span }[], index: number): Edit | undefined {
  const [before, name, after] = [names[index - 1]?.span, names[index]?.span, names[index + 1]?.span];
  if (name === undefined) return undefined;
  const start = before?.end ?? name.start;
  const end = before === undefined ? (after?.start ?? name.end) : name.end;
  return { span: { ...name, start, end }, text: "" };
}

/** Removes the whole line if nothing else is on it; otherwise the comment and the blanks before it. */
function removeComment(comment: Span): Edit | undefined {
  const range = findFileRange(comment);
  if (range === undefined) return undefined;
  const { file, start, end } = range;
  const line = lineAround(file.text, start, end);
  if (isAlone(file.text, line.start, start)) {
    return { span: spanOf(file, line.start, Math.min(line.end + 1, file.text.length)), text: "" };
  }
  const kept = file.text.slice(line.start, start).trimEnd().length;
  return { span: spanOf(file, line.start + kept, end), text: "" };
}

/** Returns the code for `name`, a code or a slug, if it may be suppressed. */
export function findSuppressible(name: string, span: Span, report: Report): DiagnosticCode | undefined {
  const code = findCode(name);
  if (code === undefined) {
    report("GW4110", span, { name, closest: suggest(name, codeNames()) });
    return undefined;
  }
  const entry: Pick<DiagnosticEntry<never>, "adjustable" | "severity"> = catalogue[code];
  if (isAdjustable(entry)) return code;
  report("GW4113", span, { name });
  return undefined;
}
