// Runs one unit test: compiles its target, sends its messages through, and compares the result. Returns the differences as
// text; mistakes that the author of the test can correct are not thrown.

import type { Processor } from "../../../runtime/component/component.ts";
import type { Batch } from "../../../runtime/message/message.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { createSink, type Sink } from "../../diagnostics/sink.ts";
import { loadRuntime } from "../../evaluate/runtime-modules.ts";
import { PackageProblem } from "../../packages/package-problem.ts";
import { maximumBytes } from "../../parse/document/limits.ts";
import { resolvePath } from "../../parse/document/paths.ts";
import { findEntry, findNode, findText, type MapNode } from "../../trees/document.ts";
import { toMessage } from "../messages.ts";
import { fromPlain } from "../plain-values.ts";
import { createProcessors } from "../processors.ts";
import { checkTest, readTarget, type TestPlace } from "./check-test.ts";
import { checkMessage } from "./conditions.ts";
import type { UnitTest } from "./definition.ts";
import { givenValue, writtenText } from "./node-values.ts";

/** What is wrong: a text, or diagnostics of the target. */
export type TestFailure = string | { readonly diagnostics: readonly Diagnostic[] };

/** How a test went. */
export interface TestResult {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** How long it took. */
  readonly seconds: number;
  /** Empty when it passed. */
  readonly failures: readonly TestFailure[];
}

/** Runs a test; an empty list when it passes. */
export async function runTest(test: UnitTest, place: TestPlace): Promise<readonly TestFailure[]> {
  const sink = createSink();
  try {
    await checkTest(test, place, sink.report);
    if (sink.hasErrors()) return [{ diagnostics: sink.diagnostics() }];
    const processors = await createTarget(test, place, sink);
    if (processors === undefined) return [{ diagnostics: sink.diagnostics() }];
    const inputs = await Promise.all(test.inputBatches.map((batch) => readBatch(batch, place)));
    return await compareBatches(await runAll(processors, inputs), test, place);
  } catch (error) {
    if (error instanceof PackageProblem) {
      error.reportAt(sink.report);
      return [{ diagnostics: sink.diagnostics() }];
    }
    const { EnvironmentError } = loadRuntime("runtime/process/environment.ts");
    if (error instanceof EnvironmentError) return error.problems;
    throw error;
  }
}

async function createTarget(
  test: UnitTest,
  place: TestPlace,
  sink: Sink,
): Promise<readonly Processor[] | undefined> {
  const target = await readTarget(test, place, sink.report);
  if (target === undefined || sink.hasErrors()) return undefined;
  const { nodes, places, around } = target;
  const environment = { ...place.environment, ...test.environment };
  return createProcessors(nodes, { ...place, environment, places }, sink, around);
}

async function readBatch(batch: readonly MapNode[], place: TestPlace): Promise<Batch> {
  const messages = batch.map(async (node) => {
    const json = findEntry(node, "json_content");
    const path = findText(node, "file_content");
    const metadata = findEntry(node, "metadata");
    const error = findText(node, "error");
    const { printJson } = loadRuntime("runtime/message/json.ts");
    const content =
      path === undefined
        ? json === undefined
          ? writtenText(findNode(node, "content"))
          : escapeHtml(printJson(fromPlain(givenValue(json.value))))
        : await readFile(path, place);
    const named = metadata === undefined ? {} : givenValue(metadata.value);
    return toMessage({
      content,
      metadata: typeof named === "object" && named !== null ? { ...named } : {},
      ...(error === undefined ? {} : { error }),
    });
  });
  return Promise.all(messages);
}

/** JSON as the reference engine writes that of definitions: what HTML gives a meaning is escaped. */
function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

async function readFile(path: string, { file, fileSystem }: TestPlace): Promise<string> {
  return Buffer.from(await fileSystem.readFile(resolvePath(file, path), maximumBytes)).toString("utf8");
}

/** Each processor has had all batches before the next one gets any, one after the other, as in the reference engine. */
async function runAll(processors: readonly Processor[], inputs: readonly Batch[]): Promise<readonly Batch[]> {
  const { runProcessors, closeProcessors } = loadRuntime("runtime/component/pipeline.ts");
  const { createLogger } = loadRuntime("runtime/process/log.ts");
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  try {
    let batches = inputs;
    for (const processor of processors) {
      const left: (readonly Batch[])[] = [];
      for (const batch of batches) left.push(await runProcessors([processor], [batch], context));
      batches = left.flat();
    }
    return batches;
  } finally {
    await closeProcessors(processors);
  }
}

async function compareBatches(
  actual: readonly Batch[],
  { outputBatches: expected }: UnitTest,
  place: TestPlace,
): Promise<readonly string[]> {
  const failures: string[] = [];
  if (actual.length < expected.length)
    failures.push(`expected ${expected.length} batches, got ${actual.length}`);
  for (const [index, batch] of actual.entries()) {
    const wanted = expected[index];
    const texts = batch.map((message) => Buffer.from(message.bytes()).toString("utf8"));
    if (wanted === undefined) {
      failures.push([`unexpected batch ${index}`, ...texts.map((text) => `+ ${text}`)].join("\n"));
      continue;
    }
    if (wanted.length !== batch.length)
      failures.push(`batch ${index}: expected ${wanted.length} messages, got ${batch.length}`);
    for (const failure of await compareBatch(batch, wanted, `batch ${index}`, place)) failures.push(failure);
  }
  return failures;
}

async function compareBatch(
  batch: Batch,
  wanted: readonly MapNode[],
  label: string,
  place: TestPlace,
): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const [at, message] of batch.entries()) {
    const conditions = wanted[at];
    const where = `${label} message ${at}`;
    if (conditions === undefined) {
      failures.push(`unexpected ${where}\n+ ${Buffer.from(message.bytes()).toString("utf8")}`);
      continue;
    }
    const unmet = await checkMessage(message, conditions, (path) => readFile(path, place));
    failures.push(...unmet.map((failure) => `${where}: ${failure}`));
    // Why it failed on its way explains why it is not as expected.
    if (unmet.length > 0 && message.failure !== undefined)
      failures.push(`${where} failed: ${message.failure.message}`);
  }
  return failures;
}
