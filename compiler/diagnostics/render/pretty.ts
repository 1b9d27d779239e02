// Diagnostics for people at a terminal: message, hint, how many there are, and a code frame: the place, the line as written,
// and marks under what it is about. Of a long line the part around the place is shown; of a span over several lines, the first.

import { createColors } from "picocolors";
import { type Location, lineText, locate, type SourceFile } from "../../source/source.ts";
import type { Diagnostic, Severity } from "../diagnostic.ts";
import { hiddenRangesOf } from "../secrets/ranges.ts";
import { type Cell, toCells, toSafeText, widthOf } from "./columns.ts";

/** How to draw a frame. */
interface FrameStyle {
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
function renderFrame(location: Location, style: FrameStyle): readonly string[] {
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

/** How to render for people. */
export interface PrettyOptions {
  readonly color: boolean;
  /** Columns for a line of code; 100 by default. */
  readonly width?: number;
}

type Colors = ReturnType<typeof createColors>;

/** The diagnostics in the order given, and a last line that counts them; nothing when there are none. */
export function renderPretty(diagnostics: readonly Diagnostic[], options: PrettyOptions): string {
  if (diagnostics.length === 0) return "";
  const colors = createColors(options.color);
  const blocks = diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, options.width ?? 100, colors));
  return `${blocks.join("\n\n")}\n\n${countBySeverity(diagnostics)}\n`;
}

function renderDiagnostic(diagnostic: Diagnostic, width: number, colors: Colors): string {
  const { severity, code, message, hint, related } = diagnostic;
  const paint = painterOf(severity, colors);
  const place = locate(diagnostic.span);
  const other = related && locate(related.span);
  const gutter = Math.max(...[place, other].map(digitsOf));
  const style = { gutter, width, paintGutter: colors.blue } as const;
  const notes = [
    ...(hint === undefined ? [] : [`hint: ${toSafeText(hint)}`]),
    `docs: sluice explain ${code}`,
  ];
  return [
    `${colors.bold(paint(`${severity} ${code}`))}${colors.bold(`: ${toSafeText(message)}`)}`,
    ...renderFrame(place, { ...style, corner: "┌", mark: "^", paintMarks: paint }),
    ...(other === undefined
      ? []
      : renderFrame(other, {
          ...style,
          corner: "├",
          mark: "-",
          label: related?.message ?? "",
          paintMarks: colors.cyan,
        })),
    ...notes.map((note) => `${" ".repeat(gutter)} ${colors.blue("=")} ${note}`),
  ].join("\n");
}

function digitsOf(place: Location | undefined): number {
  return place === undefined ? 1 : String(place.start.line).length;
}

function painterOf(severity: Severity, colors: Colors): (text: string) => string {
  switch (severity) {
    case "error":
      return colors.red;
    case "warning":
      return colors.yellow;
    case "info":
      return colors.cyan;
  }
}

/** `2 errors, 1 warning` */
function countBySeverity(diagnostics: readonly Diagnostic[]): string {
  const names = [
    ["error", "error", "errors"],
    ["warning", "warning", "warnings"],
    ["info", "note", "notes"],
  ] as const;
  return names
    .map(([severity, one, many]) => {
      const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
      return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
    })
    .filter((text) => text !== "")
    .join(", ");
}
