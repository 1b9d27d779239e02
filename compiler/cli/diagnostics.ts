// How commands show diagnostics, and what they mean for the exit code.

import type { Diagnostic, SuppressedDiagnostic } from "../diagnostics/diagnostic.ts";
import type { Counts } from "../diagnostics/levels.ts";

/** How diagnostics are printed. */
export type OutputFormat = "pretty" | "json" | "sarif" | "github";

/**
 * The diagnostics as text of a format; text for people comes without a final line break when empty. Only
 * SARIF has a form for what is suppressed.
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

/** How many warnings a command lets pass; any number where nothing is said. */
export interface WarningLimit {
  readonly maxWarnings?: number;
}

/** Whether diagnostics make a command fail: any error does, and more warnings than it lets pass. */
export function isFailure(counts: Counts, { maxWarnings = Number.POSITIVE_INFINITY }: WarningLimit): boolean {
  return counts.error > 0 || counts.warning > maxWarnings;
}

/**
 * The line for people that nothing is wrong. Scripts read standard output and the exit code: it is written to a terminal
 * only, and empty where diagnostics or another format say enough.
 */
export function describeSuccess(done: string, counts: Counts, format: string): string {
  const isQuiet = process.stderr.isTTY !== true || format !== "pretty" || counts.error + counts.warning > 0;
  return isQuiet ? "" : `sluice: ${done}\n`;
}

/** Says why a command fails that found no error; nothing where it does not. */
export function explainWarnings({ error, warning }: Counts, { maxWarnings }: WarningLimit): string {
  if (error > 0 || maxWarnings === undefined || warning <= maxWarnings) return "";
  const found = warning === 1 ? "1 warning is" : `${warning} warnings are`;
  return `sluice: ${found} more than --max-warnings ${maxWarnings} allows\n`;
}

/** Text with a line break at its end, unless there is none of it. */
export function withLineBreak(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
