// Diagnostics for people at a terminal: message, code frame, hint, and how many there are.

import { createColors } from "picocolors";
import { type Location, locate } from "../../source/source.ts";
import type { Diagnostic, Severity } from "../diagnostic.ts";
import { toSafeText } from "./columns.ts";
import { renderFrame } from "./frame.ts";

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
