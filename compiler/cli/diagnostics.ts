// How commands show diagnostics, and what they mean for the exit code.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { OutputFormat } from "./program.ts";

/** The diagnostics as text of a format; text for people comes without a final line break when empty. */
export async function formatDiagnostics(
  diagnostics: readonly Diagnostic[],
  format: OutputFormat,
  color: boolean,
): Promise<string> {
  switch (format) {
    case "json":
      return (await import("../diagnostics/render/json.ts")).renderJson(diagnostics);
    case "sarif":
      return (await import("../diagnostics/render/sarif.ts")).renderSarif(diagnostics);
    case "github":
      return (await import("../diagnostics/render/github.ts")).renderGithub(diagnostics);
    case "pretty":
      return (await import("../diagnostics/render/pretty.ts")).renderPretty(diagnostics, { color });
  }
}

/** 1 when anything is an error, else 0. */
export function exitCodeOf(diagnostics: readonly Diagnostic[]): 0 | 1 {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error") ? 1 : 0;
}

/** Text with a line break at its end, unless there is none of it. */
export function withLineBreak(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
