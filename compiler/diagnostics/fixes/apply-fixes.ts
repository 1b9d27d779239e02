// Applies the safe fixes of diagnostics to the texts of the files. Everything outside the edits stays unchanged:
// comments, formatting and line endings.

import type { SourceFile } from "../../source/source.ts";
import type { Diagnostic, Fix } from "../diagnostic.ts";
import { type FileRange, findFileRange } from "./file-range.ts";

/** A file after its fixes were applied. */
export interface FixedFile {
  readonly file: SourceFile;
  readonly text: string;
  /** The number of problems that were fixed. */
  readonly fixed: number;
}

interface Replacement extends FileRange {
  readonly text: string;
}

/**
 * Applies every safe fix. Among overlapping fixes the first is applied, completely or not at all; the others are left
 * for the next check. Returns only files with fixes.
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

/** Returns the edits of a fix, which are all in one file; none if one of them cannot be applied. */
function locateEdits(fix: Fix): readonly Replacement[] {
  const located = fix.edits.flatMap(({ span, text }) => {
    const range = findFileRange(span);
    return range === undefined ? [] : [{ ...range, text }];
  });
  const isWhole = located.length === fix.edits.length;
  return isWhole && located.every(({ file }) => file.path === located[0]?.file.path) ? located : [];
}

/** Whether two edits overlap. Edits at the same place do as well, because their order is undefined. */
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
