// Formats diagnostics for commands and determines their effect on the exit code.

import type { Diagnostic, SuppressedDiagnostic } from "../diagnostics/diagnostic.ts";
import type { Counts } from "../diagnostics/levels.ts";

/** The output format of diagnostics. */
export type OutputFormat = "pretty" | "json" | "sarif" | "github";

/**
 * Returns the diagnostics as text in a format. Text for people has no final line break if it is empty. Only
 * SARIF has a representation of suppressed diagnostics.
 */
export async function formatDiagnostics(
  diagnostics: readonly Diagnostic[],
  format: OutputFormat,
  color: boolean,
  suppressed: readonly SuppressedDiagnostic[] = [],
): Promise<string> {
  switch (format) {
    case "json":
      return (await import("../diagnostics/render/json.ts")).renderJson(diagnostics);
    case "sarif":
      return (await import("../diagnostics/render/sarif.ts")).renderSarif(diagnostics, suppressed);
    case "github":
      return (await import("../diagnostics/render/github.ts")).renderGithub(diagnostics);
    case "pretty":
      return (await import("../diagnostics/render/pretty.ts")).renderPretty(diagnostics, { color });
  }
}

/** The number of warnings that a command tolerates; unlimited if absent. */
export interface WarningLimit {
  readonly maxWarnings?: number;
}

/** Whether diagnostics make a command fail: any error does, as do more warnings than it tolerates. */
export function isFailure(counts: Counts, { maxWarnings = Number.POSITIVE_INFINITY }: WarningLimit): boolean {
  return counts.error > 0 || counts.warning > maxWarnings;
}

/**
 * Returns the line for people that nothing is wrong. It is written to terminals only, since scripts use standard
 * output and the exit code; empty if diagnostics or another output format make it unnecessary.
 */
export function describeSuccess(done: string, counts: Counts, format: string): string {
  const isQuiet = process.stderr.isTTY !== true || format !== "pretty" || counts.error + counts.warning > 0;
  return isQuiet ? "" : `sluice: ${done}\n`;
}

/** Explains why a command without errors fails; returns an empty text if it does not fail. */
export function explainWarnings({ error, warning }: Counts, { maxWarnings }: WarningLimit): string {
  if (error > 0 || maxWarnings === undefined || warning <= maxWarnings) return "";
  const found = warning === 1 ? "1 warning is" : `${warning} warnings are`;
  return `sluice: ${found} more than --max-warnings ${maxWarnings} allows\n`;
}

/** Returns a text with a final line break; an empty text stays empty. */
export function withLineBreak(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
