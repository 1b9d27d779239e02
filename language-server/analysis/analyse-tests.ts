// Checks unit tests, as `sluice check` does, and infers the types of the messages that their conditions read.

import { readDialect } from "../../compiler/compile.ts";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { applyLevels } from "../../compiler/diagnostics/levels.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { checkCases } from "../../compiler/embed/unit-tests/check-cases.ts";
import { findTests } from "../../compiler/model/unit-tests.ts";
import type { CheckMemory } from "../../compiler/parse/check-memory.ts";
import type { FileSystem } from "../../compiler/parse/document/file-system.ts";
import { maximumBytes } from "../../compiler/parse/document/limits.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { testedFile } from "../../compiler/parse/document/paths.ts";
import { readSourceFile } from "../../compiler/parse/document/read-file.ts";
import { coreDialect, type Dialect } from "../../compiler/trees/dialect.ts";
import { findSetsAround } from "../workspace/find-sets.ts";
import { absolutePath } from "../workspace/paths.ts";
import { type Analysis, analyse } from "./analysis.ts";

/** Checks the unit tests in the file at `path`. `memory`: results of earlier checks of the tested document. */
export async function analyseTests(
  path: string,
  fileSystem: FileSystem,
  memory?: CheckMemory,
): Promise<Analysis> {
  const sink = createSink();
  const file = await readSourceFile(path, { fileSystem, limit: maximumBytes, report: sink.report });
  const root = file && parseDocument(file, sink.report);
  const files = new Map(file && [[absolutePath(path), file]]);
  if (file === undefined || root === undefined)
    return { ...applyLevels(sink.reported(), new Map(), []), scripts: [], files };
  const target = testedFile(path);
  const { dialect, analysis } = await analyseTarget(target, fileSystem, memory);
  const place = { dialect, file: path, target, fileSystem, environment: {}, resources: [] };
  const found = await checkCases({ file, root }, place, analysis.checked, sink.reported());
  const tests = { file, root, dialect, target: absolutePath(target), analysis };
  return { ...found, files, tests };
}

/** Returns the analysis of documents together with the diagnostics of the unit tests that they contain. */
export async function withOwnTests(analysis: Analysis, fileSystem: FileSystem): Promise<Analysis> {
  const { set, checked } = analysis;
  const documents = set?.documents.filter(({ root }) => findTests(root) !== undefined) ?? [];
  if (set === undefined || documents.length === 0) return analysis;
  const found: Diagnostic[] = [];
  const scripts = [...analysis.scripts];
  for (const { file, root } of documents) {
    const at = { file: file.path, target: file.path, fileSystem, environment: {}, resources: [] };
    const cases = await checkCases({ file, root }, { ...at, dialect: set.dialect }, checked);
    found.push(...cases.diagnostics);
    scripts.push(...cases.scripts);
  }
  return { ...analysis, diagnostics: [...analysis.diagnostics, ...found], scripts };
}

/** Returns the dialect of the tested document, according to the set around it, and the analysis of the document. */
async function analyseTarget(
  target: string,
  fileSystem: FileSystem,
  memory: CheckMemory | undefined,
): Promise<{ readonly dialect: Dialect; readonly analysis: Analysis }> {
  const [settings] = await findSetsAround(absolutePath(target));
  const dialect =
    settings === undefined ? coreDialect : (await readDialect(settings, { fileSystem })).dialect;
  return { dialect, analysis: await analyse(target, fileSystem, memory) };
}
