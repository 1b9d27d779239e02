// `sluice build`: the files of a gateway into a folder, or one phase's result on standard output.

import { compileDocuments, planDocuments } from "../../compile.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { exitCodeOf, formatDiagnostics, withLineBreak } from "../diagnostics.ts";
import { renderPlan } from "../dump.ts";
import { writeOutput } from "../output-folder.ts";
import { packageRoot } from "../package-root.ts";
import type { BuildOptions } from "../program.ts";
import { useColor, withProgress } from "../terminal.ts";

/** Builds a gateway. Writes nothing when anything is an error. Gives the exit code. */
export async function runBuild(paths: readonly string[], options: BuildOptions): Promise<number> {
  if (options.dump === "plan") return dumpPlan(paths, options);
  const { diagnostics, files } = await withProgress(`compiling ${paths.join(" ")}`, () =>
    compileDocuments(paths, { packageRoot: packageRoot(), minify: options.minify === true }),
  );
  await show(diagnostics, options);
  if (files === undefined) return exitCodeOf(diagnostics);
  if (options.dump !== undefined) process.stdout.write(files.get(`${options.dump}.ts`) ?? "");
  if (options.output !== undefined) await writeOutput(options.output, files);
  return 0;
}

async function dumpPlan(paths: readonly string[], options: BuildOptions): Promise<number> {
  const { diagnostics, plan } = await planDocuments(paths);
  await show(diagnostics, options);
  if (plan !== undefined) process.stdout.write(withLineBreak(renderPlan(plan)));
  return exitCodeOf(diagnostics);
}

/** Diagnostics are data on standard output where a program asked for them, else for people. */
async function show(diagnostics: readonly Diagnostic[], options: BuildOptions): Promise<void> {
  const stream = options.format === "pretty" || options.dump !== undefined ? process.stderr : process.stdout;
  const text = await formatDiagnostics(diagnostics, options.format, useColor(stream));
  stream.write(withLineBreak(text));
}
