// `sluice check`: diagnostics on standard output, in the format asked for.

import { checkDocuments } from "../../compile.ts";
import { exitCodeOf, formatDiagnostics, withLineBreak } from "../diagnostics.ts";
import type { OutputFormat } from "../program.ts";
import { useColor } from "../terminal.ts";

/** Checks documents and prints what is wrong. Gives the exit code. */
export async function runCheck(paths: readonly string[], options: { format: OutputFormat }): Promise<number> {
  const { diagnostics } = await checkDocuments(paths);
  const text = await formatDiagnostics(diagnostics, options.format, useColor(process.stdout));
  process.stdout.write(withLineBreak(text));
  return exitCodeOf(diagnostics);
}
