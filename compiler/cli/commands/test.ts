// `sluice test`: unit tests of mappings and pipelines, in the reference engine's format.

import { existsSync } from "node:fs";
import type { TestResult } from "../../embed/unit-tests/run-test.ts";
import { runTests } from "../../embed/unit-tests/run-tests.ts";
import type { FileSystem } from "../../parse/document/file-system.ts";
import { nodeFileSystem } from "../../parse/document/file-system.ts";
import type { SetOption } from "../command-options.ts";
import { dialectOf } from "../set-dialect.ts";
import { useColor } from "../terminal.ts";
import { renderResults, type TestFormat } from "../test-report.ts";

/** What `sluice test` was told. */
export interface TestCommandOptions extends SetOption {
  readonly format: TestFormat;
  readonly watch?: boolean;
  /** Files, or patterns of files, whose resources the tested documents may name. */
  readonly resources?: readonly string[];
}

/** Runs the tests of `paths` and prints how they went. Gives the exit code: 1 when any failed or there are none. */
export async function runTest(paths: readonly string[], options: TestCommandOptions): Promise<number> {
  if (options.watch === true) return runWatching(paths, options);
  return runOnce(paths, options, nodeFileSystem);
}

async function runOnce(
  paths: readonly string[],
  { format, resources = [], ...set }: TestCommandOptions,
  fileSystem: FileSystem,
): Promise<0 | 1> {
  const dialect = await dialectOf(set);
  if (dialect === undefined) return 1;
  const results = await runTests(paths, { dialect, fileSystem, environment: givenEnvironment(), resources });
  process.stdout.write(await renderResults(results, format, useColor(process.stdout)));
  if (results.length > 0) return results.every(hasPassed) ? 0 : 1;
  const missing = paths.filter((path) => !existsSync(path));
  process.stderr.write(
    missing.length > 0
      ? `sluice: there is no file or folder ${missing.map((path) => `\`${path}\``).join(", ")}\n`
      : `sluice: no tests found in ${paths.join(" ")}\n`,
  );
  return 1;
}

function hasPassed({ failures }: TestResult): boolean {
  return failures.length === 0;
}

/** Runs them again at each change of a file they read, until a signal ends it. */
async function runWatching(paths: readonly string[], options: TestCommandOptions): Promise<number> {
  const { createRecordingFileSystem, repeatOnChange } = await import("../watch.ts");
  const { fileSystem, paths: read } = createRecordingFileSystem();
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  const work = async (): Promise<void> => {
    await runOnce(paths, options, fileSystem);
  };
  await repeatOnChange(read, work, stopping.signal);
  return 0;
}

function givenEnvironment(): Readonly<Record<string, string>> {
  const given = Object.entries(process.env);
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
