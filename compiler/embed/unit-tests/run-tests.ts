// Runs all unit tests of the given paths, one after another. The tests of a template, which are in its own
// file, compare the configuration that it generates from fields.

import { createSink, type Sink } from "../../diagnostics/sink.ts";
import { findTests, readTemplateTests, readTests, type TemplateTest } from "../../model/unit-tests.ts";
import type { FileSystem } from "../../parse/document/file-system.ts";
import { findMatches, isPattern } from "../../parse/document/glob.ts";
import { maximumBytes } from "../../parse/document/limits.ts";
import { parseDocument } from "../../parse/document/parse-document.ts";
import { readSourceFile } from "../../parse/document/read-file.ts";
import { locate } from "../../source/source.ts";
import { readTemplate } from "../../templates/read-templates.ts";
import type { LoadedDocument } from "../../trees/api.ts";
import { coreDialect, type Dialect } from "../../trees/dialect.ts";
import { type DocumentNode, findEntry } from "../../trees/document.ts";
import { checkTestList } from "./check-test.ts";
import { type DefinitionFile, findDefinitions } from "./find-definitions.ts";
import { lineDiff } from "./line-diff.ts";
import { plainValue, samePlain } from "./node-values.ts";
import { runTest, type TestFailure, type TestResult } from "./run-test.ts";

/** Options of a test run. */
export interface TestOptions {
  /** The components and functions that documents may use; by default, those of this package. */
  readonly dialect?: Dialect;
  readonly fileSystem: FileSystem;
  /** The environment, to which each test adds its own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files, or patterns of files, whose resources the documents may use by label. */
  readonly resources?: readonly string[];
}

/** Returns the results of every test of `paths`; an empty list if there are no tests. */
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

/** Replaces patterns by the files they match, keeping the order. A pattern without a match stays, to be reported. */
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
  // A folder may contain any YAML files; only those that appear to define tests have to be valid.
  const speaksOfTests = source !== undefined && /(?:^|[{,])\s*["']?(?:x-)?tests["']?\s*:/m.test(source.text);
  const root = source === undefined || !speaksOfTests ? undefined : parseDocument(source, sink.report);
  const tests = root && findTests(root);
  // Files of other programs may have a `tests` key, too, so check only files that are named explicitly.
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

/** Whether a document with tests is a template. Streams have no `mapping` of their own. */
function isTemplate(root: DocumentNode): boolean {
  return ["name", "type", "mapping"].every((key) => findEntry(root, key) !== undefined);
}

/** Runs the tests of a template. If it cannot be read, all of them fail for that reason. */
function runTemplateTests(
  { file, root }: Pick<LoadedDocument, "file" | "root">,
  dialect: Dialect,
  sink: Sink,
): readonly TestResult[] {
  const template = readTemplate({ file, root }, dialect, sink.report);
  return readTemplateTests(root).map((test) => {
    const begin = performance.now();
    const failures =
      template === undefined ? [{ diagnostics: sink.diagnostics() }] : runOne(test, template.render);
    return {
      file: file.path,
      line: locate(test.node.span).start.line,
      name: test.name,
      seconds: (performance.now() - begin) / 1000,
      failures,
    };
  });
}

type Render = NonNullable<ReturnType<typeof readTemplate>>["render"];

function runOne({ config, expected }: TemplateTest, render: Render): readonly TestFailure[] {
  if (config === undefined) return ["a test of a template needs `config`"];
  const sink = createSink();
  const json = render(config, sink.report);
  if (json === undefined) return [{ diagnostics: sink.diagnostics() }];
  if (expected === undefined) return [];
  const made: unknown = JSON.parse(json);
  const wanted = plainValue(expected);
  if (samePlain(made, wanted)) return [];
  return [["the configuration differs", ...lineDiff(shown(wanted), shown(made))].join("\n")];
}

function shown(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
