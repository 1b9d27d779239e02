// Renders diagnostics for people at a terminal: message, hint, counts and a code frame with the place, the line as
// written and marks under the span. Shows the part of a long line around the place, and the first line of a span over
// several lines.

import { createColors } from "picocolors";
import { type Location, lineText, locate, type SourceFile } from "../../source/source.ts";
import type { Diagnostic, Severity } from "../diagnostic.ts";
import { hiddenRangesOf } from "../secrets/ranges.ts";
import { type Cell, toCells, toSafeText, widthOf } from "./columns.ts";

/** The style of a frame. */
interface FrameStyle {
  /** `┌` at the beginning of a frame, `├` for a second place in it. */
  readonly corner: "┌" | "├";
  readonly mark: "^" | "-";
  /** The number of digits of the diagnostic's largest line number. */
  readonly gutter: number;
  /** The number of columns for a line of code. */
  readonly width: number;
  /** The text after the marks. */
  readonly label?: string;
  readonly paintMarks: (text: string) => string;
  readonly paintGutter: (text: string) => string;
}

/** Returns the lines of a frame. For a file that could not be read, returns only the place. */
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

/** Returns the line with a sign for each character of a secret, so that the columns of marks stay the same. */
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

/** Returns the cells around `start` that fit within `width`, with `start` and `end` as indexes into them. */
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
  // First the place, up to two thirds of the width, then the text before it, then the text after it.
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

/** Options for rendering for people. */
export interface PrettyOptions {
  readonly color: boolean;
  /** The number of columns for a line of code; 100 by default. */
  readonly width?: number;
}

type Colors = ReturnType<typeof createColors>;

/** Returns the diagnostics in the given order, and a last line that counts them; empty if there are none. */
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
