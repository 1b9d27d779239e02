// Diagnostics in, the texts of the files with their safe fixes carried out. Nothing outside the edits is
// touched: comments, formatting and line endings stay as they were.

import type { SourceFile } from "../../source/source.ts";
import type { Diagnostic, Fix } from "../diagnostic.ts";
import { type FileRange, findFileRange } from "./file-range.ts";

/** A file as its fixes leave it. */
export interface FixedFile {
  readonly file: SourceFile;
  readonly text: string;
  /** Problems that are gone. */
  readonly fixed: number;
}

interface Replacement extends FileRange {
  readonly text: string;
}

/**
 * Carries out every safe fix. Of fixes that overlap the first wins, whole or not at all; the others are
 * for the next check. Files without a fix are not named.
 */
export function applyFixes(diagnostics: readonly Diagnostic[]): readonly FixedFile[] {
  const accepted = new Map<
    string,
    { readonly file: SourceFile; readonly edits: Replacement[]; fixed: number }
  >();
  for (const { fix } of diagnostics) {
    const edits = fix?.isSafe === true ? locateEdits(fix) : [];
    const [first] = edits;
    if (first === undefined) continue;
    const { file } = first;
    const known = accepted.get(file.path) ?? { file, edits: [], fixed: 0 };
    if (edits.some((edit) => known.edits.some((other) => overlaps(edit, other)))) continue;
    known.edits.push(...edits);
    known.fixed++;
    accepted.set(file.path, known);
  }
  return [...accepted.values()].map(({ file, edits, fixed }) => ({
    file,
    fixed,
    text: replaceAll(file, edits),
  }));
}

/** A fix stays within one file; one with an edit that cannot be carried out has none. */
function locateEdits(fix: Fix): readonly Replacement[] {
  const located = fix.edits.flatMap(({ span, text }) => {
    const range = findFileRange(span);
    return range === undefined ? [] : [{ ...range, text }];
  });
  const isWhole = located.length === fix.edits.length;
  return isWhole && located.every(({ file }) => file.path === located[0]?.file.path) ? located : [];
}

/** Two edits at one place overlap too: their order is undefined. */
function overlaps(a: FileRange, b: FileRange): boolean {
  return a.start === b.start || (a.start < b.end && b.start < a.end);
}

function replaceAll({ text }: SourceFile, edits: readonly Replacement[]): string {
  let out = "";
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return out + text.slice(at);
}
