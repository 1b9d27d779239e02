// Checks the files that `sluice check` names: documents with the unit tests in them, and files of unit tests.

import { type CheckResult, checkDocuments } from "../compile.ts";
import { applyLevels, type Leveled } from "../diagnostics/levels.ts";
import { createSink } from "../diagnostics/sink.ts";
import { checkCases, isTestFile } from "../embed/unit-tests/check-cases.ts";
import type { TestPlace } from "../embed/unit-tests/check-test.ts";
import { findTests } from "../model/unit-tests.ts";
import { type FileSystem, nodeFileSystem } from "../parse/document/file-system.ts";
import { maximumBytes } from "../parse/document/limits.ts";
import { parseDocument } from "../parse/document/parse-document.ts";
import { shortenPath, testedFile } from "../parse/document/paths.ts";
import { readSourceFile } from "../parse/document/read-file.ts";
import { coreDialect, type Dialect } from "../trees/dialect.ts";
import { dialectOf } from "./set-dialect.ts";

/** Checks documents and files of unit tests. The facts are those of the documents. */
export async function checkWithTests(
  paths: readonly string[],
  given: FileSystem = nodeFileSystem,
): Promise<CheckResult> {
  const tests: string[] = [];
  const read = new Map<string, Uint8Array>();
  for (const path of paths) if (await holdsTests(path, given, read)) tests.push(path);
  // A pipe cannot be read twice. Documents are read by their shortened paths.
  const fileSystem: FileSystem = {
    ...given,
    readFile: async (path, limit) =>
      read.get(shortenPath(path, process.cwd())) ?? given.readFile(path, limit),
  };
  const documents = paths.filter((path) => !tests.includes(path));
  if (documents.length === 0 && tests.length > 0) return checkTestFiles(tests, fileSystem);
  const { checked, ...result } = await checkDocuments(documents, { fileSystem });
  const results: Leveled[] = [result];
  for (const { file, root } of checked?.set.documents ?? [])
    if (findTests(root) !== undefined) {
      const place = placeOf(file.path, fileSystem, checked?.set.dialect);
      results.push(await checkCases({ file, root }, place, checked));
    }
  if (tests.length > 0) results.push(await checkTestFiles(tests, fileSystem));
  const all = results.reduce(joined);
  return { ...all, ...(checked !== undefined && all.counts.error === 0 && { checked }) };
}

/** Whether a file holds unit tests; if its bytes were needed, they are added to `read`. One that cannot be read is reported as a document. */
async function holdsTests(
  path: string,
  fileSystem: FileSystem,
  read: Map<string, Uint8Array>,
): Promise<boolean> {
  if (!/\.ya?ml$/i.test(path)) return false;
  try {
    const bytes = await fileSystem.readFile(path, maximumBytes);
    read.set(shortenPath(path, process.cwd()), bytes);
    return bytes.length <= maximumBytes && isTestFile(path, Buffer.from(bytes).toString("utf8"));
  } catch {
    return false;
  }
}

function placeOf(file: string, fileSystem: FileSystem, dialect: Dialect = coreDialect): TestPlace {
  return {
    dialect,
    file,
    target: testedFile(file),
    fileSystem,
    environment: {},
    resources: [],
  };
}

/**
 * Checks files of unit tests. Of the documents under test, each is checked once, only for the types of its messages.
 */
async function checkTestFiles(paths: readonly string[], fileSystem: FileSystem): Promise<Leveled> {
  const dialect = await dialectOf({});
  const targets = new Map<string, ReturnType<typeof checkDocuments>>();
  const checkTarget = (path: string) => {
    const found = targets.get(path) ?? checkDocuments([path], { fileSystem });
    targets.set(path, found);
    return found;
  };
  const results: Leveled[] = [];
  for (const path of paths) results.push(await checkTestFile(path, fileSystem, dialect, checkTarget));
  return results.reduce(joined);
}

async function checkTestFile(
  path: string,
  fileSystem: FileSystem,
  dialect: Dialect | undefined,
  checkTarget: (path: string) => ReturnType<typeof checkDocuments>,
): Promise<Leveled> {
  const sink = createSink();
  const reading = { fileSystem, limit: maximumBytes, report: sink.report };
  const file = await readSourceFile(path, reading);
  const root = file && parseDocument(file, sink.report);
  if (file === undefined || root === undefined) return applyLevels(sink.reported(), new Map(), []);
  const place = placeOf(file.path, fileSystem, dialect);
  const { checked } = await checkTarget(place.target);
  return checkCases({ file, root }, place, checked, sink.reported());
}

function joined(one: Leveled, other: Leveled): Leveled {
  return {
    diagnostics: [...one.diagnostics, ...other.diagnostics],
    suppressed: [...one.suppressed, ...other.suppressed],
    counts: {
      error: one.counts.error + other.counts.error,
      warning: one.counts.warning + other.counts.warning,
      info: one.counts.info + other.counts.info,
    },
  };
}
