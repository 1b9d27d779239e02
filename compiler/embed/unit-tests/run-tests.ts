// All unit tests of the given paths, run one after another: paths in, results out.

import { createSink } from "../../diagnostics/sink.ts";
import type { FileSystem } from "../../parse/document/file-system.ts";
import { findMatches, isPattern } from "../../parse/document/glob.ts";
import { maximumBytes } from "../../parse/document/limits.ts";
import { parseDocument } from "../../parse/document/parse-document.ts";
import { readSourceFile } from "../../parse/document/read-file.ts";
import { coreDialect, type Dialect } from "../../trees/dialect.ts";
import { checkTestList } from "./check-test.ts";
import { findTests, readTests } from "./definition.ts";
import { type DefinitionFile, findDefinitions } from "./find-definitions.ts";
import { runTest, type TestResult } from "./run-test.ts";
import { isTemplate, runTemplateTests } from "./template-tests.ts";

/** What tests read. */
export interface TestOptions {
  /** What the documents may use; the components and builtins of this package by default. */
  readonly dialect?: Dialect;
  readonly fileSystem: FileSystem;
  /** The environment that each test's own is added to. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files, or patterns of files, whose resources the documents may name by their labels. */
  readonly resources?: readonly string[];
}

/** The results of every test of `paths`; none when there are no tests. */
export async function runTests(
  paths: readonly string[],
  options: TestOptions,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  const resources = await expandPatterns(options.resources ?? [], options.fileSystem);
  for (const definition of await findDefinitions(paths, options.fileSystem)) {
    const isNamed = paths.some((path) => path.replace(/^\.\//, "") === definition.file);
    const own = await runDefinition(definition, isNamed, { dialect: coreDialect, ...options, resources });
    for (const result of own) results.push(result);
  }
  return results;
}

/** Patterns become the files they match, in the order given; one without a match stays, to be reported. */
async function expandPatterns(paths: readonly string[], fileSystem: FileSystem): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths.map((each) => each.replaceAll("\\", "/"))) {
    const matches = isPattern(path) ? await findMatches(path, fileSystem) : [];
    for (const match of matches.length === 0 ? [path] : matches) found.push(match);
  }
  return [...new Set(found)];
}

async function runDefinition(
  { file, target }: DefinitionFile,
  isNamed: boolean,
  options: Required<TestOptions>,
): Promise<readonly TestResult[]> {
  const sink = createSink();
  const source = await readSourceFile(file, {
    fileSystem: options.fileSystem,
    report: sink.report,
    limit: maximumBytes,
  });
  // A folder may hold any YAML; only what speaks of tests has to be readable.
  const speaksOfTests = source !== undefined && /^\s*["']?(x-)?tests["']?\s*:/m.test(source.text);
  const root = source === undefined || !speaksOfTests ? undefined : parseDocument(source, sink.report);
  const tests = root && findTests(root);
  // Other programs have keys of that name, too.
  if (tests !== undefined && isNamed) checkTestList(tests, sink.report);
  if (source === undefined || root === undefined || tests === undefined || sink.hasErrors()) {
    const isBroken = sink.hasErrors() && (isNamed || speaksOfTests);
    return isBroken
      ? [{ file, line: 1, name: file, seconds: 0, failures: [{ diagnostics: sink.diagnostics() }] }]
      : [];
  }
  if (isTemplate(root)) return runTemplateTests({ file: source, root }, options.dialect, sink);
  const results: TestResult[] = [];
  for (const test of readTests(root)) {
    const begin = performance.now();
    const failures = await runTest(test, { ...options, file, target });
    const seconds = (performance.now() - begin) / 1000;
    results.push({ file, line: test.line, name: test.name, seconds, failures });
  }
  return results;
}
