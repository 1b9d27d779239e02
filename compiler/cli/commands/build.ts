// Runs `sluice build`: writes the files of a gateway to a folder, or the result of one phase to standard output.

import { join } from "node:path";
import { type CheckResult, compileDocuments, planDocuments } from "../../compile.ts";
import { hideSecretsIn } from "../../diagnostics/secrets/without-secrets.ts";
import type { Plan } from "../../plan/plan.ts";
import { locate, type SourceFile, type Span } from "../../source/source.ts";
import type { BuildOptions } from "../command-options.ts";
import {
  describeSuccess,
  explainWarnings,
  formatDiagnostics,
  isFailure,
  withLineBreak,
} from "../diagnostics.ts";
import { makeFolder, orOutputError, writeOutput } from "../output-folder.ts";
import { packageRoot } from "../package-root.ts";
import { useColor, withProgress } from "../terminal.ts";

/** Builds a gateway. Writes nothing if there are errors or too many warnings. Returns the exit code. */
export async function runBuild(paths: readonly string[], options: BuildOptions): Promise<number> {
  if (options.dump === "plan") return dumpPlan(paths, options);
  if (options.artifact !== undefined) return buildArtifact(options.artifact, paths, options);
  const result = await withProgress(`compiling ${paths.join(" ")}`, () =>
    compileDocuments(paths, {
      packageRoot: packageRoot(),
      minify: options.minify === true,
      executable: options.executable === true,
    }),
  );
  await show(result, options);
  const { files } = result;
  if (files === undefined || isFailure(result.counts, options)) return 1;
  if (options.dump !== undefined) process.stdout.write(files.get(`${options.dump}.ts`) ?? "");
  if (options.output !== undefined) {
    const written = await writeBuild(options.output, files, result.plan, options);
    if (result.program !== undefined) {
      const { writeExecutable } = await import("../executable.ts");
      const executable = join(options.output, "gateway");
      const { program } = result;
      await orOutputError(executable, () => writeExecutable(executable, program, options));
    }
    const done = `wrote ${written} files to ${options.output}`;
    process.stderr.write(describeSuccess(done, result.counts, options.format));
  }
  return 0;
}

/** Returns the number of files it wrote, not counting those of an image. */
async function writeBuild(
  output: string,
  files: ReadonlyMap<string, string>,
  plan: Plan | undefined,
  options: BuildOptions,
): Promise<number> {
  const { baseImage, container, kubernetes } = options;
  if (plan === undefined || (container !== true && kubernetes !== true)) {
    await writeOutput(output, files);
    return files.size;
  }
  const [{ emitManifest }, { removeStaleManifests, shippedFiles, writeImageOf }] = await Promise.all([
    import("../../emit/manifest.ts"),
    import("../shipping.ts"),
  ]);
  const manifest = emitManifest(plan);
  const all = new Map([...files, ...shippedFiles({ plan, manifest }, options)]);
  await writeOutput(output, all);
  if (kubernetes === true) await removeStaleManifests(output, all);
  if (baseImage !== undefined) await writeImageOf({ manifest, files }, { ...options, output, baseImage });
  return all.size;
}

async function buildArtifact(
  folder: string,
  paths: readonly string[],
  options: BuildOptions,
): Promise<number> {
  const [{ compileUnits }, { installedRuntime, packUnits, writeArtifact }] = await Promise.all([
    import("../../compile-units.ts"),
    import("../../embed/artifact.ts"),
  ]);
  const { digest: runtime } = await installedRuntime(packageRoot());
  const result = await withProgress(`compiling ${paths.join(" ")}`, () => compileUnits(paths));
  await show(result, options);
  const { process: own, apis } = result;
  if (own === undefined || apis === undefined || isFailure(result.counts, options)) return 1;
  await makeFolder(folder);
  await orOutputError(folder, () =>
    writeArtifact(folder, (number) => packUnits({ process: own, apis }, { number, runtime }), {
      signingKey: process.env.GW_SIGNING_KEY || undefined,
      number: options.number,
    }),
  );
  return 0;
}

async function dumpPlan(paths: readonly string[], options: BuildOptions): Promise<number> {
  const result = await planDocuments(paths);
  await show(result, options);
  if (result.plan === undefined || isFailure(result.counts, options)) return 1;
  process.stdout.write(withLineBreak(renderPlan(result.plan)));
  return 0;
}

/** Prints diagnostics: on standard output in formats for programs, otherwise on standard error. */
async function show({ diagnostics, suppressed, counts }: CheckResult, options: BuildOptions): Promise<void> {
  const stream = options.format === "pretty" || options.dump !== undefined ? process.stderr : process.stdout;
  const text = await formatDiagnostics(diagnostics, options.format, useColor(stream), suppressed);
  stream.write(withLineBreak(text));
  process.stderr.write(explainWarnings(counts, options));
}

/** Returns the plan as JSON, with source ranges as `file:line:column` and without the secrets of its documents. */
export function renderPlan(plan: Plan): string {
  const files = new Set<SourceFile>();
  const text = JSON.stringify(
    plan,
    (key, value: unknown) => (key === "descriptor" ? undefined : readable(value, files)),
    2,
  );
  return hideSecretsIn([...files])(text);
}

function readable(value: unknown, files: Set<SourceFile>): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (!isSpan(value)) return value;
  const { file, start } = locate(value);
  files.add(file);
  return `${file.path}:${start.line}:${start.column}`;
}

function isSpan(value: unknown): value is Span {
  return (
    typeof value === "object" && value !== null && "source" in value && "start" in value && "end" in value
  );
}
