// Maps places of a text that was edited to places in the newest text. Only editors keep results for a text that
// changes; every other text has one version.

import type { EditedPlaces, SourceFile } from "./source.ts";

/** A change: `length` characters of the next version replace the characters from `start` to `end` of this one. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

/** The versions of a file: the changes between them, and the newest version. */
export interface FileHistory {
  newest: SourceFile | undefined;
  readonly changes: TextChange[];
}

/** A replaced part of a version, in that version and in the newest one. */
interface Replaced {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** The data of a version that its nodes keep in addition to places: its text, as far as it still exists. */
export interface EditedVersion extends EditedPlaces {
  readonly text: string;
}

/** Returns the places of the version before change number `version` of a history, counted from 0. */
export function createEditedPlaces(history: FileHistory, version: number): EditedVersion {
  let replaced: readonly Replaced[] = [];
  let seen = version;
  const catchUp = (): void => {
    for (; seen < history.changes.length; seen++) {
      const change = history.changes[seen];
      if (change !== undefined) replaced = withChange(replaced, change);
    }
  };
  return {
    get newest() {
      return history.newest;
    },
    get text() {
      catchUp();
      const text = history.newest?.text ?? "";
      if (replaced.length === 0) return text;
      // Blanks represent replaced text, so that its length stays the same.
      const parts = replaced.map(
        ({ from, to, start }, index) =>
          text.slice(replaced[index - 1]?.end ?? 0, start) + " ".repeat(to - from),
      );
      return parts.join("") + text.slice(replaced.at(-1)?.end ?? 0);
    },
    offsetInFile(offset) {
      catchUp();
      let shift = 0;
      for (const { from, to, start, end } of replaced) {
        // Text after an insertion moves with it.
        if (offset < from || (offset === from && from < to)) break;
        if (offset < to) return start;
        shift = end - to;
      }
      return offset + shift;
    },
  };
}

/** Adds a change of the newest version. Merges the parts that it touches. */
function withChange(replaced: readonly Replaced[], { start, end, length }: TextChange): readonly Replaced[] {
  const before = replaced.filter((part) => part.end < start);
  const after = replaced.filter((part) => part.start > end);
  const touched = replaced.slice(before.length, replaced.length - after.length);
  const [first, last] = [touched[0], touched.at(-1)];
  const shiftBefore = shiftOf(before.at(-1));
  const shiftAfter = last === undefined ? shiftBefore : shiftOf(last);
  const growth = length - (end - start);
  const merged: Replaced = {
    from: first === undefined || start < first.start ? start - shiftBefore : first.from,
    to: last === undefined || end > last.end ? end - shiftAfter : last.to,
    start: Math.min(start, first?.start ?? start),
    end: Math.max(end, last?.end ?? end) + growth,
  };
  const moved = after.map((part) => ({ ...part, start: part.start + growth, end: part.end + growth }));
  return [...before, merged, ...moved];
}

function shiftOf(part: Replaced | undefined): number {
  return part === undefined ? 0 : part.end - part.to;
}

/** Returns the smallest change that turns one text into the other. */
export function findChange(before: string, after: string): TextChange {
  const shortest = Math.min(before.length, after.length);
  const same = countEqual(shortest, (from, to) => before.slice(from, to) === after.slice(from, to));
  const rest = countEqual(
    shortest - same,
    (from, to) =>
      before.slice(before.length - to, before.length - from) ===
      after.slice(after.length - to, after.length - from),
  );
  return { start: same, end: before.length - rest, length: after.length - rest - same };
}

/** Returns the number of equal characters. Compares blocks, then halves of the first block that differs. */
function countEqual(limit: number, isEqual: (from: number, to: number) => boolean): number {
  let at = 0;
  for (let size = 65_536; size >= 1; size = size >> 1)
    while (at + size <= limit && isEqual(at, at + size)) at += size;
  return at;
}
