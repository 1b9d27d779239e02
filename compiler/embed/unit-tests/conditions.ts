// What a test expects of one message, and how the message differs from it.

import type { Message } from "../../../runtime/message/message.ts";
import { loadRuntime } from "../../evaluate/runtime-modules.ts";
import { findEntry, type MapEntry, type MapNode } from "../../trees/document.ts";
import { CompileError, MappingError } from "../errors.ts";
import { toResult } from "../messages.ts";
import { toPlain } from "../plain-values.ts";
import { compileMapping } from "../scripts.ts";
import { lineDiff } from "./line-diff.ts";
import { containsPlain, plainValue, samePlain, writtenText } from "./node-values.ts";

/** Reads a file that a test names, relative to the test; rejects with a sentence. */
export type ReadTestFile = (path: string) => Promise<string>;

/** A condition that does not hold: a text of one or more lines. `undefined` when it does. */
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

/** What does not hold of a message, each led by the name of its condition. */
export async function checkMessage(
  message: Message,
  conditions: MapNode,
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

/** JSON in a text, or a value as it would be written in JSON. */
function expectedJson(node: MapEntry["value"]): unknown {
  const value = plainValue(node);
  return typeof value === "string" ? parseExpected(value) : value;
}

/** What cannot be read as JSON equals nothing: the sentence about it takes the place of the value. */
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

/** JSON with sorted keys, one a line, and big integers in full. */
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
