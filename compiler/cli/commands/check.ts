// Runs `sluice check`: prints diagnostics on standard output in the requested format; with --fix, those that remain.

import type { CheckResult } from "../../compile.ts";
import type { CheckCommandOptions } from "../command-options.ts";
import {
  describeSuccess,
  explainWarnings,
  formatDiagnostics,
  isFailure,
  withLineBreak,
} from "../diagnostics.ts";
import { useColor } from "../terminal.ts";

/** Checks documents, applies fixes if requested, and prints the diagnostics. Returns the exit code. */
export async function runCheck(paths: readonly string[], options: CheckCommandOptions): Promise<number> {
  if (options.fix === true) return runFix(paths, options);
  const { checkWithTests } = await import("../check-with-tests.ts");
  const result = await checkWithTests(paths);
  await show(result, options, process.stdout);
  process.stderr.write(describeSuccess(`no problems in ${paths.join(" ")}`, result.counts, options.format));
  return isFailure(result.counts, options) ? 1 : 0;
}

async function runFix(paths: readonly string[], options: CheckCommandOptions): Promise<number> {
  const { fixDocuments } = await import("../fix-documents.ts");
  const { result, changed, fixed } = await fixDocuments(paths);
  if (options.dryRun === true) {
    const { renderChanges } = await import("../fix-documents.ts");
    process.stdout.write(renderChanges(changed));
    await show(result, options, process.stderr);
    return changed.length > 0 || isFailure(result.counts, options) ? 1 : 0;
  }
  const { replaceFiles } = await import("../replace-files.ts");
  await replaceFiles(changed);
  if (fixed > 0) process.stderr.write(`sluice: ${describeFixed(fixed, changed.length)}\n`);
  await show(result, options, process.stdout);
  return isFailure(result.counts, options) ? 1 : 0;
}

async function show(
  { diagnostics, suppressed, counts }: CheckResult,
  options: CheckCommandOptions,
  stream: NodeJS.WriteStream,
): Promise<void> {
  const text = await formatDiagnostics(diagnostics, options.format, useColor(stream), suppressed);
  stream.write(withLineBreak(text));
  process.stderr.write(explainWarnings(counts, options));
}

function describeFixed(fixed: number, files: number): string {
  const problems = fixed === 1 ? "1 problem" : `${fixed} problems`;
  return `fixed ${problems} in ${files === 1 ? "1 file" : `${files} files`}`;
}
