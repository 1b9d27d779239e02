// Renders diagnostics for people at a terminal: message, hint, counts and a code frame with the place, the line as
// written and marks under the span. Shows the part of a long line around the place, and the first line of a span over
// several lines.

import { createColors } from "picocolors";
import { locate, offsetsOf, type SourceFile, type Span } from "../../source/source.ts";
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
function renderFrame(span: Span, style: FrameStyle): readonly string[] {
  const { file, start, end } = locate(span);
  const { paintGutter, paintMarks } = style;
  const pad = " ".repeat(style.gutter);
  const label = style.label === undefined ? "" : ` ${style.label}`;
  const path = toSafeText(file.path);
  if (file.text === "") return [`${paintGutter(`${pad} ${style.corner}`)} ${path}${label}`];
  const shown = cutWindow(readLine(file, start.line, offsetsOf(span), style.width), style.width);
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

/** Cells of a line with a place in them. */
interface Window {
  readonly cells: readonly Cell[];
  /** The indexes of the first cell of the place and of the one after it. */
  readonly start: number;
  readonly end: number;
}

/** The part of a line that is read to show a place in it. */
interface LinePart extends Window {
  /** Whether the line has more text before and after it. */
  readonly hasHead: boolean;
  readonly hasTail: boolean;
}

/** Characters that are read on each side of a place for each column of a window: some characters have no width. */
const charactersPerColumn = 8;

/** Reads a line around a place. A document may be one long line, which is not read as a whole for each diagnostic. */
function readLine(
  file: SourceFile,
  line: number,
  place: { readonly start: number; readonly end: number },
  width: number,
): LinePart {
  const first = file.lineStarts[line - 1] ?? file.text.length;
  const last = lineEnd(file, line);
  const reach = charactersPerColumn * width;
  const from = wholeCharacter(file, Math.max(first, place.start - reach));
  const to = wholeCharacter(file, Math.min(last, place.start + reach));
  const countTo = (offset: number) => [...file.text.slice(from, Math.min(offset, to))].length;
  return {
    cells: toCells(withoutSecrets(file, from, to)),
    start: countTo(place.start),
    end: countTo(place.end),
    hasHead: from > first,
    hasTail: to < last,
  };
}

/** Returns the offset of the end of a line, without its line break. */
function lineEnd({ text, lineStarts }: SourceFile, line: number): number {
  const next = lineStarts[line];
  if (next === undefined) return text.length;
  return text[next - 2] === "\r" ? next - 2 : next - 1;
}

/** Returns the offset, or the one before it if it is in the middle of a character. */
function wholeCharacter({ text }: SourceFile, offset: number): number {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff ? offset - 1 : offset;
}

/** Returns a part of a text with a sign for each character of a secret, so that the columns of marks stay the same. */
function withoutSecrets(file: SourceFile, from: number, to: number): string {
  const text = file.text.slice(from, to);
  const hidden = hiddenRangesOf(file).filter(({ start, end }) => start < to && end > from);
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

const ellipsis: Cell = { text: "…", width: 1 };

/** Returns the cells around a place that fit within `width`. */
function cutWindow({ cells: all, start, end, hasHead, hasTail }: LinePart, width: number): Window {
  if (!hasHead && !hasTail && widthOf(all) <= width) return { cells: all, start, end };
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
  const head = hasHead || from > 0 ? [ellipsis] : [];
  const tail = hasTail || to < all.length ? [ellipsis] : [];
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
  const gutter = Math.max(digitsOf(diagnostic.span), related === undefined ? 1 : digitsOf(related.span));
  const style = { gutter, width, paintGutter: colors.blue } as const;
  const notes = [
    ...(hint === undefined ? [] : [`hint: ${toSafeText(hint)}`]),
    `docs: sluice explain ${code}`,
  ];
  return [
    `${colors.bold(paint(`${severity} ${code}`))}${colors.bold(`: ${toSafeText(message)}`)}`,
    ...renderFrame(diagnostic.span, { ...style, corner: "┌", mark: "^", paintMarks: paint }),
    ...(related === undefined
      ? []
      : renderFrame(related.span, {
          ...style,
          corner: "├",
          mark: "-",
          label: related.message,
          paintMarks: colors.cyan,
        })),
    ...notes.map((note) => `${" ".repeat(gutter)} ${colors.blue("=")} ${note}`),
  ].join("\n");
}

/** Returns the number of digits of the line that a span begins in. */
function digitsOf(span: Span): number {
  return String(locate(span).start.line).length;
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
