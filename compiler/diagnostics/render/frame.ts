// The lines of code that a diagnostic shows: the place, the line as written, and marks under what it is
// about. Of a long line the part around the place is shown; of a span over several lines, the first.

import { type Location, lineText, type SourceFile } from "../../source/source.ts";
import { hiddenRangesOf } from "../secrets/ranges.ts";
import { type Cell, toCells, toSafeText, widthOf } from "./columns.ts";

/** How to draw a frame. */
export interface FrameStyle {
  /** `┌` where a frame begins, `├` where a second place is added to it. */
  readonly corner: "┌" | "├";
  readonly mark: "^" | "-";
  /** Digits of the largest line number of the diagnostic. */
  readonly gutter: number;
  /** Columns for a line of code. */
  readonly width: number;
  /** Words behind the marks. */
  readonly label?: string;
  readonly paintMarks: (text: string) => string;
  readonly paintGutter: (text: string) => string;
}

/** The lines of a frame. A place in a file that could not be read is only named. */
export function renderFrame(location: Location, style: FrameStyle): readonly string[] {
  const { file, start, end } = location;
  const { paintGutter, paintMarks } = style;
  const pad = " ".repeat(style.gutter);
  const label = style.label === undefined ? "" : ` ${style.label}`;
  const path = toSafeText(file.path);
  if (file.text === "") return [`${paintGutter(`${pad} ${style.corner}`)} ${path}${label}`];
  const cells = toCells(shownLine(file, start.line));
  const last = end.line === start.line ? end.column - 1 : cells.length;
  const shown = cutWindow(cells, start.column - 1, last, style.width);
  const code = shown.cells.map((cell) => cell.text).join("");
  const before = widthOf(shown.cells.slice(0, shown.start));
  const length = Math.max(1, widthOf(shown.cells.slice(shown.start, shown.end)));
  const more = end.line > start.line && end.column > 1 ? ` … to line ${end.line}` : "";
  return [
    `${paintGutter(`${pad} ${style.corner}`)} ${path}:${start.line}:${start.column}`,
    paintGutter(`${pad} │`),
    `${paintGutter(`${String(start.line).padStart(style.gutter)} │`)} ${code}`.trimEnd(),
    `${paintGutter(`${pad} │`)} ${" ".repeat(before)}${paintMarks(`${style.mark.repeat(length)}${more}${label}`)}`,
  ];
}

/** The line with a sign in place of each character of a secret, so that marks stand where they did. */
function shownLine(file: SourceFile, line: number): string {
  const text = lineText(file, line);
  const from = file.lineStarts[line - 1] ?? 0;
  const hidden = hiddenRangesOf(file).filter(({ start, end }) => start < from + text.length && end > from);
  if (hidden.length === 0) return text;
  const isHidden = (at: number) => hidden.some(({ start, end }) => at >= start && at < end);
  let at = from;
  return [...text]
    .map((char) => {
      const shown = isHidden(at) && char.trim() !== "" ? "•" : char;
      at += char.length;
      return shown;
    })
    .join("");
}

interface Window {
  readonly cells: readonly Cell[];
  readonly start: number;
  readonly end: number;
}

const ellipsis: Cell = { text: "…", width: 1 };

/** The cells around `start`, no wider than `width`; `start` and `end` are then indexes into them. */
function cutWindow(all: readonly Cell[], start: number, end: number, width: number): Window {
  if (widthOf(all) <= width) return { cells: all, start, end };
  let from = Math.min(start, all.length);
  let to = from;
  let room = width - 2;
  const take = (index: number): boolean => {
    const cell = all[index];
    if (cell === undefined || cell.width > room) return false;
    room -= cell.width;
    return true;
  };
  // The place first, up to two thirds of the width, then the text before it, then the text after it.
  while (to < end && room > width / 3 && take(to)) to++;
  const kept = Math.floor(room / 2);
  while (room > kept && take(from - 1)) from--;
  while (take(to)) to++;
  while (take(from - 1)) from--;
  const head = from > 0 ? [ellipsis] : [];
  const tail = to < all.length ? [ellipsis] : [];
  const cells = [...head, ...all.slice(from, to), ...tail];
  return { cells, start: start - from + head.length, end: Math.min(end, to) - from + head.length };
}
