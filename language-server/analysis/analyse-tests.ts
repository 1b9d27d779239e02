// What is wrong with unit tests, as `sluice test` finds it before it runs them, and the types of the messages that their
// conditions look at. Nothing runs.

import type { FlowStep } from "../../compiler/check/flow/context.ts";
import { inferMapping } from "../../compiler/check/inference/infer-mapping.ts";
import { checkMapping } from "../../compiler/check/mapping/check.ts";
import type { ObservedScript } from "../../compiler/check/observer.ts";
import { readDialect } from "../../compiler/compile.ts";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { applyLevels } from "../../compiler/diagnostics/levels.ts";
import { createSink, type Report } from "../../compiler/diagnostics/sink.ts";
import { checkProcessors } from "../../compiler/embed/check-processors.ts";
import {
  checkTest,
  checkTestList,
  conditionScope,
  readTarget,
  splitTarget,
  type TestPlace,
} from "../../compiler/embed/unit-tests/check-test.ts";
import { findTests, readTests, type UnitTest } from "../../compiler/embed/unit-tests/definition.ts";
import { isDefinitionName, targetOf } from "../../compiler/embed/unit-tests/find-definitions.ts";
import { findTargetNode } from "../../compiler/embed/unit-tests/target.ts";
import { readTargetDocument } from "../../compiler/embed/unit-tests/target-document.ts";
import type { CheckMemory } from "../../compiler/parse/check-memory.ts";
import type { FileSystem } from "../../compiler/parse/document/file-system.ts";
import { maximumBytes } from "../../compiler/parse/document/limits.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { resolvePath } from "../../compiler/parse/document/paths.ts";
import { readSourceFile } from "../../compiler/parse/document/read-file.ts";
import { mappingTexts, readSuppressions } from "../../compiler/parse/suppressions/read-suppressions.ts";
import { offsetsOf } from "../../compiler/source/source.ts";
import type { FieldNode, LoadedDocument } from "../../compiler/trees/api.ts";
import { coreDialect, type Dialect } from "../../compiler/trees/dialect.ts";
import type { DocumentNode } from "../../compiler/trees/document.ts";
import { fieldsOfStream } from "../../compiler/trees/fields.ts";
import { anyMessage, type MessageType } from "../../compiler/value-types/type.ts";
import { findSetsAround } from "../workspace/find-sets.ts";
import { absolutePath } from "../workspace/paths.ts";
import { type Analysis, analyse } from "./analysis.ts";

const testsKey = /^["']?(?:x-)?tests["']?[ \t]*:/m;
const otherKey = /^(?!["']?(?:x-)?tests["']?[ \t]*:)["'\w][^\n:]*:(?:[ \t]|\r?$)/m;
const caseKey =
  /(?:^|[\s{,-])["']?(?:target_processors|target_mapping|input_batch|input_batches|output_batches)["']?[ \t]*:/m;

/**
 * Whether a text holds unit tests and nothing else of ours. Other programs name files and keys alike; where nothing is written
 * of a case yet, the name of the file decides.
 */
export function isTestFile(path: string, text: string): boolean {
  if (!/\.ya?ml$/i.test(path) || !testsKey.test(text) || otherKey.test(text)) return false;
  return caseKey.test(text) || isDefinitionName(path);
}

/** Checks the unit tests in the file at `path`. `memory`: of earlier checks of what they are about. */
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
  const target = targetOf(path);
  const { dialect, analysis } = await analyseTarget(target, fileSystem, memory);
  const place = { dialect, file: path, target, fileSystem, environment: {}, resources: [] };
  const found: Diagnostic[] = [];
  const scripts = await checkCases({ file, root }, place, analysis, found);
  const mappings = [...mappingTexts(scripts.map(({ field }) => field))];
  const suppressions = readSuppressions({ documents: [{ file, root, ignores: [] }], mappings }, sink.report);
  const tests = { file, root, dialect, target: absolutePath(target), analysis };
  return { ...applyLevels([...sink.reported(), ...found], new Map(), suppressions), scripts, files, tests };
}

/** The analysis of documents with what is wrong with the unit tests that stand in them. */
export async function withOwnTests(analysis: Analysis, fileSystem: FileSystem): Promise<Analysis> {
  const { set } = analysis;
  const documents = set?.documents.filter(({ root }) => findTests(root) !== undefined) ?? [];
  if (set === undefined || documents.length === 0) return analysis;
  const found: Diagnostic[] = [];
  const scripts: ObservedScript[] = [...analysis.scripts];
  for (const { file, root } of documents) {
    const place = {
      dialect: set.dialect,
      file: file.path,
      target: file.path,
      fileSystem,
      environment: {},
      resources: [],
    };
    scripts.push(...(await checkCases({ file, root }, place, analysis, found)));
  }
  return { ...analysis, diagnostics: [...analysis.diagnostics, ...found], scripts };
}

/** What the document that tests are about may use, by the set around it, and what is known of it. */
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

/** Reports what is wrong with the cases of a file; gives the scripts in them. */
async function checkCases(
  { file, root }: Pick<LoadedDocument, "file" | "root">,
  place: TestPlace,
  about: Analysis,
  found: Diagnostic[],
): Promise<readonly ObservedScript[]> {
  const builtins = place.dialect.builtins;
  const scripts: ObservedScript[] = [];
  const add = (field: FieldNode, message: MessageType): void => {
    if (field.kind !== "Mapping" || field.span.source.file !== file) return;
    const scope = { ...conditionScope, builtins };
    const {
      types,
      failures,
      message: result,
    } = inferMapping(
      checkMapping(field.mapping, scope, silent),
      message,
      field.startsFrom === "message" ? "mutation" : "mapping",
      silent,
    );
    scripts.push({ field, message, origin: message, scope, types, failures, result });
  };
  const sink = createSink();
  const documents = new Map<string, Promise<DocumentNode | undefined>>();
  const readOnce: typeof readTargetDocument = (path, options, reportRead) => {
    const key = JSON.stringify([path, options.environment]);
    const known = documents.get(key) ?? readTargetDocument(path, options, reportRead);
    documents.set(key, known);
    return known;
  };
  const tests = findTests(root);
  if (tests !== undefined) checkTestList(tests, sink.report);
  for (const test of readTests(root)) {
    const conditions = await checkTest(test, place, sink.report);
    const message = test.mocks.size > 0 ? anyMessage : messageAfter(test, place, about);
    for (const condition of conditions) add(condition, message);
    const target = await readTarget(test, place, sink.report, readOnce);
    if (target === undefined || test.mocks.size === 0) continue;
    const { nodes, places, around } = target;
    const checked = await checkProcessors(nodes, { ...place, places }, sink, around);
    for (const field of checked === undefined ? [] : fieldsOfStream(checked.stream)) add(field, anyMessage);
  }
  // What is wrong with the target itself is said there.
  found.push(...sink.reported().filter(({ span }) => span.source.file === file));
  return scripts;
}

const silent: Report = () => {};

/** The type of the messages that what a test runs gives; nothing is known of those of mappings in files. */
function messageAfter(test: UnitTest, { file, target }: TestPlace, { checked }: Analysis): MessageType {
  if (checked === undefined || test.targetMapping !== undefined) return anyMessage;
  const { path, pointer } = splitTarget(test.targetProcessors);
  const document = absolutePath(path === "" ? target : resolvePath(file, path));
  const { root } = checked.set.documents.find((each) => absolutePath(each.file.path) === document) ?? {};
  const found = root && findTargetNode(root, pointer);
  const last = found?.kind === "list" ? found.items.at(-1) : found;
  if (last === undefined) return anyMessage;
  const isLast = ({ component: { node } }: FlowStep) =>
    node.span.source.file === last.span.source.file &&
    offsetsOf(node.span).start === offsetsOf(last.span).start;
  const steps = checked.set.apis.flatMap((api) => api.streams.flatMap((stream) => checked.steps(stream)));
  return steps.find(isLast)?.message ?? anyMessage;
}
