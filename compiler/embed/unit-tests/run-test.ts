// Runs one unit test: compiles its target, sends its messages through, and compares the result. Returns the differences as
// text; errors that the author of the test can correct are returned, not thrown.

import type { Processor } from "../../../runtime/component/component.ts";
import type { Batch, Message } from "../../../runtime/message/message.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { createSink, type Sink } from "../../diagnostics/sink.ts";
import { loadRuntime } from "../../evaluate/runtime-modules.ts";
import type { ExpectedMessage, SentMessage, UnitTest } from "../../model/unit-tests.ts";
import { PackageProblem } from "../../packages/package-problem.ts";
import { maximumBytes } from "../../parse/document/limits.ts";
import { resolvePath } from "../../parse/document/paths.ts";
import { findEntry, type MapEntry } from "../../trees/document.ts";
import { CompileError, MappingError } from "../errors.ts";
import { toMessage, toResult } from "../messages.ts";
import { fromPlain, toPlain } from "../plain-values.ts";
import { createProcessors } from "../processors.ts";
import { compileMapping } from "../scripts.ts";
import { checkTest, environmentOf, readTarget, type TestPlace } from "./check-test.ts";
import { lineDiff } from "./line-diff.ts";
import { containsPlain, givenValue, plainValue, samePlain, writtenText } from "./node-values.ts";

/** Reads a file that a test names, relative to the test. Rejects with a sentence as the message. */
type ReadTestFile = (path: string) => Promise<string>;

/** Checks a condition. Resolves with a text of one or more lines if it is not met, otherwise with `undefined`. */
type Check = (message: Message, entry: MapEntry, readFile: ReadTestFile) => Promise<string | undefined>;

const checks: Readonly<Record<string, Check>> = {
  bloblang: async (message, { value }) => checkQuery(message, writtenText(value)),
  content_equals: async (message, { value }) => differentText(message, writtenText(value)),
  content_matches: async (message, { value }) => unmatched(message, writtenText(value)),
  file_equals: async (message, { value }, readFile) =>
    differentText(message, await readFile(String(plainValue(value)))),
  file_json_contains: async (message, { value }, readFile) =>
    differentJson(message, parseExpected(await readFile(String(plainValue(value)))), containsPlain),
  file_json_equals: async (message, { value }, readFile) =>
    differentJson(message, parseExpected(await readFile(String(plainValue(value)))), samePlain),
  json_contains: async (message, { value }) => differentJson(message, expectedJson(value), containsPlain),
  json_equals: async (message, { value }) => differentJson(message, expectedJson(value), samePlain),
  metadata_equals: async (message, { value }) => differentMetadata(message, plainValue(value)),
};

/** Returns the unmet conditions of a message, each preceded by its name. */
async function checkMessage(
  message: Message,
  { node: conditions }: ExpectedMessage,
  readFile: ReadTestFile,
): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const name of Object.keys(checks)) {
    const entry = findEntry(conditions, name);
    const failure = entry && (await checks[name]?.(message, entry, readFile));
    if (failure !== undefined) failures.push(`${name}: ${failure}`);
  }
  return failures;
}

function contentOf(message: Message): string {
  return Buffer.from(message.bytes()).toString("utf8");
}

function checkQuery(message: Message, source: string): string | undefined {
  try {
    const { failure: failed, failureSource } = message;
    const failure = failed === undefined ? {} : { error: { message: failed.message, ...failureSource } };
    const result = compileMapping(source).run({ ...toResult(message), ...failure });
    const text = result === null ? "deleted()" : Buffer.from(result.content).toString("utf8");
    return text === "true" ? undefined : `expected true, got ${text}`;
  } catch (error) {
    if (error instanceof MappingError || error instanceof CompileError) return error.message;
    throw error;
  }
}

function differentText(message: Message, expected: string): string | undefined {
  const actual = contentOf(message);
  if (actual === expected) return undefined;
  const isShort = !expected.includes("\n") && !actual.includes("\n");
  const shown = isShort ? [`- ${expected}`, `+ ${actual}`] : lineDiff(expected, actual);
  return ["the content differs", ...shown].join("\n");
}

function unmatched(message: Message, pattern: string): string | undefined {
  const actual = contentOf(message);
  try {
    const { reMatch } = loadRuntime("runtime/mapping/regexp.ts");
    return reMatch(actual, "", pattern) ? undefined : `\`${pattern}\` does not match\n+ ${actual}`;
  } catch (error) {
    const runtime = loadRuntime("runtime/errors.ts");
    if (error instanceof runtime.MappingError) return error.message;
    throw error;
  }
}

/** Returns the expected value, which is written as JSON in a text or directly as a value. */
function expectedJson(node: MapEntry["value"]): unknown {
  const value = plainValue(node);
  return typeof value === "string" ? parseExpected(value) : value;
}

/** A text that is not valid JSON. It equals no value; its reason is shown in place of the value. */
class Unreadable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

function parseExpected(text: string): unknown {
  const parsed = loadRuntime("runtime/message/json.ts").parseJsonText(text);
  return "value" in parsed ? toPlain(parsed.value) : new Unreadable(parsed.reason);
}

function differentJson(
  message: Message,
  expected: unknown,
  agrees: (actual: unknown, expected: unknown) => boolean,
): string | undefined {
  if (expected instanceof Unreadable) return `the expected text is not JSON: ${expected.reason}`;
  const document = message.document();
  if (document === undefined)
    return `the content is not JSON: ${message.parseFailure()}\n+ ${contentOf(message)}`;
  const actual = toPlain(document);
  if (agrees(actual, expected)) return undefined;
  return ["the JSON differs", ...lineDiff(printPlain(expected), printPlain(actual))].join("\n");
}

function differentMetadata(message: Message, expected: unknown): string | undefined {
  if (typeof expected !== "object" || expected === null) return "expected an object of names and values";
  const actual = toResult(message).metadata;
  const lines = Object.entries(expected).flatMap(([name, value]) => {
    if (!Object.hasOwn(actual, name)) return [`- ${name}: ${printPlain(value)}`];
    if (samePlain(actual[name], value)) return [];
    return [`- ${name}: ${printPlain(value)}`, `+ ${name}: ${printPlain(actual[name])}`];
  });
  return lines.length === 0 ? undefined : ["the metadata differs", ...lines].join("\n");
}

/** Returns JSON with sorted keys, one per line, and all digits of big integers. */
function printPlain(value: unknown, indentation = ""): string {
  const deeper = `${indentation}  `;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((each) => `${deeper}${printPlain(each, deeper)}`)
    : Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, each]) => `${deeper}${JSON.stringify(key)}: ${printPlain(each, deeper)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(",\n")}\n${indentation}${close}`;
}

/** A failure: a text, or diagnostics of the target. */
export type TestFailure = string | { readonly diagnostics: readonly Diagnostic[] };

/** The result of a test. */
export interface TestResult {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** The duration. */
  readonly seconds: number;
  /** Empty if the test passed. */
  readonly failures: readonly TestFailure[];
}

/** Runs a test. Returns an empty list if it passes. */
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
  const environment = environmentOf(test, place);
  return createProcessors(nodes, { ...place, environment, places }, sink, around);
}

async function readBatch(batch: readonly SentMessage[], place: TestPlace): Promise<Batch> {
  const messages = batch.map(async ({ path, json, content: text, metadata, error }) => {
    const { printJson } = loadRuntime("runtime/message/json.ts");
    const content =
      path === undefined
        ? json === undefined
          ? writtenText(text)
          : escapeHtml(printJson(fromPlain(givenValue(json.value))))
        : await readFile(path, place);
    const named = metadata === undefined ? {} : givenValue(metadata);
    return toMessage({
      content,
      metadata: typeof named === "object" && named !== null ? { ...named } : {},
      ...(error === undefined ? {} : { error }),
    });
  });
  return Promise.all(messages);
}

/** Escapes characters that have a meaning in HTML, as the reference engine does in JSON of definitions. */
function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

async function readFile(path: string, { file, fileSystem }: TestPlace): Promise<string> {
  return Buffer.from(await fileSystem.readFile(resolvePath(file, path), maximumBytes)).toString("utf8");
}

/**
 * Runs processors one after the other: each handles all batches before the next one gets any, as in the reference
 * engine.
 */
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
  wanted: readonly ExpectedMessage[],
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
    // If the message failed on its way, that explains the unmet conditions.
    if (unmet.length > 0 && message.failure !== undefined)
      failures.push(`${where} failed: ${message.failure.message}`);
  }
  return failures;
}
