// Runs `sluice test`: unit tests of mappings and pipelines in the format of the reference engine.

import { existsSync } from "node:fs";
import { createColors } from "picocolors";
import { toSafeText } from "../../diagnostics/render/columns.ts";
import type { TestFailure, TestResult } from "../../embed/unit-tests/run-test.ts";
import { runTests } from "../../embed/unit-tests/run-tests.ts";
import type { FileSystem } from "../../parse/document/file-system.ts";
import { nodeFileSystem } from "../../parse/document/file-system.ts";
import type { SetOption } from "../command-options.ts";
import { formatDiagnostics } from "../diagnostics.ts";
import { dialectOf } from "../set-dialect.ts";
import { useColor } from "../terminal.ts";

/** Options of `sluice test`. */
export interface TestCommandOptions extends SetOption {
  readonly format: TestFormat;
  readonly watch?: boolean;
  /** Files, or patterns of files, whose resources the documents under test may use. */
  readonly resources?: readonly string[];
}

/** Runs the tests of `paths` and prints the results. Returns the exit code: 1 if any test failed or there are none. */
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

/** Runs the tests again at each change of a file they read, until a signal ends it. */
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

/** The formats of `sluice test`. */
type TestFormat = "pretty" | "json" | "junit";

/** Returns the results with a final line break; an empty text for people if there are none. */
export async function renderResults(
  results: readonly TestResult[],
  format: TestFormat,
  color: boolean,
): Promise<string> {
  switch (format) {
    case "pretty":
      return renderPretty(results, color);
    case "json":
      return `${JSON.stringify(await Promise.all(results.map(describeResult)), undefined, 2)}\n`;
    case "junit":
      return renderJunit(results);
  }
}

async function describeResult({ file, line, name, seconds, failures }: TestResult) {
  const texts = await Promise.all(failures.map((failure) => failureText(failure, false)));
  return { file, line, name, seconds, passed: failures.length === 0, failures: texts };
}

async function failureText(failure: TestFailure, color: boolean): Promise<string> {
  if (typeof failure === "string") return failure;
  return (await formatDiagnostics(failure.diagnostics, "pretty", color)).trimEnd();
}

async function renderPretty(results: readonly TestResult[], color: boolean): Promise<string> {
  if (results.length === 0) return "";
  const colors = createColors(color);
  const lines: string[] = [];
  for (const { file, line, name, failures } of results) {
    const title = toSafeText(`${file}:${line}  ${name}`);
    lines.push(failures.length === 0 ? `${colors.green("✓")} ${title}` : `${colors.red("✗")} ${title}`);
    for (const failure of failures) {
      const text = await failureText(failure, color);
      lines.push(
        ...text.split("\n").map((each) => `    ${typeof failure === "string" ? paint(each) : each}`),
      );
    }
  }
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const counts =
    failed === 0 ? `${results.length} passed` : `${results.length - failed} passed, ${failed} failed`;
  return `${lines.join("\n")}\n\n${counts}\n`;

  function paint(line: string): string {
    const safe = toSafeText(line);
    if (safe.startsWith("- ")) return colors.red(safe);
    return safe.startsWith("+ ") ? colors.green(safe) : safe;
  }
}

async function renderJunit(results: readonly TestResult[]): Promise<string> {
  const suites: string[] = [];
  for (const [file, cases] of Map.groupBy(results, (result) => result.file)) {
    const failed = cases.filter(({ failures }) => failures.length > 0).length;
    const written = await Promise.all(cases.map(renderCase));
    const counts = `tests="${cases.length}" failures="${failed}" time="${secondsOf(cases)}"`;
    suites.push(`  <testsuite name="${escapeXml(file)}" ${counts}>`, ...written, "  </testsuite>");
  }
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const open = `<testsuites tests="${results.length}" failures="${failed}" time="${secondsOf(results)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${[open, ...suites, "</testsuites>"].join("\n")}\n`;
}

/** Returns seconds in the notation that JUnit readers accept, without an exponent. */
function secondsOf(results: readonly TestResult[]): string {
  return results.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
}

async function renderCase(result: TestResult): Promise<string> {
  const { file, line, name, failures } = result;
  const place = `classname="${escapeXml(file)}" file="${escapeXml(file)}" line="${line}"`;
  const attributes = `name="${escapeXml(name)}" ${place} time="${secondsOf([result])}"`;
  if (failures.length === 0) return `    <testcase ${attributes}/>`;
  const texts = await Promise.all(failures.map((failure) => failureText(failure, false)));
  const message = escapeXml(texts[0]?.split("\n")[0] ?? "");
  const written = `      <failure message="${message}">${escapeXml(texts.join("\n\n"))}</failure>`;
  return `    <testcase ${attributes}>\n${written}\n    </testcase>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has no way to write these at all.
const unwritable = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(unwritable, "\ufffd")
    .replace(/[&<>"]/g, (character) => entities[character] ?? "");
}
