// Checks the files that `sluice check` names: documents with the unit tests in them, and files of unit tests.

import { readFileSync, statSync } from "node:fs";
import { checkDocuments } from "../compile.ts";
import { applyLevels, type Leveled } from "../diagnostics/levels.ts";
import { createSink } from "../diagnostics/sink.ts";
import { checkCases, isTestFile } from "../embed/unit-tests/check-cases.ts";
import type { TestPlace } from "../embed/unit-tests/check-test.ts";
import { findTests } from "../model/unit-tests.ts";
import { nodeFileSystem } from "../parse/document/file-system.ts";
import { maximumBytes } from "../parse/document/limits.ts";
import { parseDocument } from "../parse/document/parse-document.ts";
import { testedFile } from "../parse/document/paths.ts";
import { readSourceFile } from "../parse/document/read-file.ts";
import { coreDialect, type Dialect } from "../trees/dialect.ts";
import { dialectOf } from "./set-dialect.ts";

/** Checks documents and files of unit tests. */
export async function checkWithTests(paths: readonly string[]): Promise<Leveled> {
  const tests = paths.filter(holdsTests);
  const documents = paths.filter((path) => !tests.includes(path));
  const results: Leveled[] = [];
  if (documents.length > 0 || tests.length === 0) {
    const { checked, ...result } = await checkDocuments(documents);
    results.push(result);
    for (const { file, root } of checked?.set.documents ?? [])
      if (findTests(root) !== undefined)
        results.push(await checkCases({ file, root }, placeOf(file.path, checked?.set.dialect), checked));
  }
  if (tests.length > 0) results.push(...(await checkTestFiles(tests)));
  return results.length === 1 ? (results[0] ?? nothing) : results.reduce(joined, nothing);
}

/** Whether a file holds unit tests. One that cannot be read is reported as a document. */
function holdsTests(path: string): boolean {
  if (!/\.ya?ml$/i.test(path)) return false;
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= maximumBytes && isTestFile(path, readFileSync(path, "utf8"));
  } catch {
    return false;
  }
}

function placeOf(file: string, dialect: Dialect = coreDialect): TestPlace {
  return {
    dialect,
    file,
    target: testedFile(file),
    fileSystem: nodeFileSystem,
    environment: {},
    resources: [],
  };
}

/**
 * Checks files of unit tests. Of the documents under test, each is checked once, only for the types of its messages.
 */
async function checkTestFiles(paths: readonly string[]): Promise<readonly Leveled[]> {
  const dialect = await dialectOf({});
  const targets = new Map<string, ReturnType<typeof checkDocuments>>();
  const checkTarget = (path: string) => {
    const found = targets.get(path) ?? checkDocuments([path]);
    targets.set(path, found);
    return found;
  };
  const results: Leveled[] = [];
  for (const path of paths) results.push(await checkTestFile(path, dialect, checkTarget));
  return results;
}

async function checkTestFile(
  path: string,
  dialect: Dialect | undefined,
  checkTarget: (path: string) => ReturnType<typeof checkDocuments>,
): Promise<Leveled> {
  const sink = createSink();
  const reading = { fileSystem: nodeFileSystem, limit: maximumBytes, report: sink.report };
  const file = await readSourceFile(path, reading);
  const root = file && parseDocument(file, sink.report);
  if (file === undefined || root === undefined) return applyLevels(sink.reported(), new Map(), []);
  const place = placeOf(file.path, dialect);
  const { checked } = await checkTarget(place.target);
  return checkCases({ file, root }, place, checked, sink.reported());
}

const nothing: Leveled = applyLevels([], new Map(), []);

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
