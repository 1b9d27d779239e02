// Places of a text that was edited since: each of them in the newest text. Only editors keep results of a text while it
// changes; every other text has one version.

import type { EditedPlaces, SourceFile } from "./source.ts";

/** The characters from `start` to `end` of one version, which `length` characters of the next one replace. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

/** The versions of a file: what changed from each to the next, and the newest of them. */
export interface FileHistory {
  newest: SourceFile | undefined;
  readonly changes: TextChange[];
}

/** A part of a version, in that version and in the newest one. */
interface Replaced {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** What nodes of a version keep of it besides places: its text, as far as that is still there. */
export interface EditedVersion extends EditedPlaces {
  readonly text: string;
}

/** The places of the version before change number `version` of a history, counted from 0. */
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
      // What is gone is as long as it was.
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
        // What stood behind an insertion moves with it.
        if (offset < from || (offset === from && from < to)) break;
        if (offset < to) return start;
        shift = end - to;
      }
      return offset + shift;
    },
  };
}

/** Adds a change of the newest version; what it touches becomes one part. */
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

/** The change that makes one text of another: as little of it as possible. */
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

/** How many units are equal, looked at in blocks and then in halves of the first block that is not. */
function countEqual(limit: number, isEqual: (from: number, to: number) => boolean): number {
  let at = 0;
  for (let size = 65_536; size >= 1; size = size >> 1)
    while (at + size <= limit && isEqual(at, at + size)) at += size;
  return at;
}
