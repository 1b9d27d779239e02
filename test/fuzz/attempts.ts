// The checks for any text: the compiler refuses it with diagnostics that point into it, or compiles it. A compiled text
// then returns a result for every message or fails with an error of the language.

import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import { checkDocuments } from "../../compiler/compile.ts";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { CompileError, MappingError } from "../../compiler/embed/errors.ts";
import type { MessageInput, MessageResult } from "../../compiler/embed/messages.ts";
import { compileInterpolation, compileMapping } from "../../compiler/embed/scripts.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { parseMapping } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { walk } from "../../compiler/trees/walk.ts";
import { printMapping } from "../harness/mapping-printer.ts";
import { messages } from "./messages.ts";

/** The outcome of a text. Campaigns count outcomes, to detect a campaign that produces refusals only. */
export type Attempt = "refused" | "ran";

/** Throws an error that describes the defect if `text` is handled incorrectly. */
export function attemptMapping(text: string): Attempt {
  const compiled = compileOr(() => compileMapping(text, surroundings));
  if (compiled === undefined) return "refused";
  const results = messages.map((message) => runOr(() => compiled.run(message, batchOf(message))));
  comparePrinted(text, results);
  return "ran";
}

/** Like `attemptMapping`, for a text with `${! }` parts. */
export function attemptTemplate(text: string): Attempt {
  const compiled = compileOr(() => compileInterpolation(text, surroundings));
  if (compiled === undefined) return "refused";
  for (const message of messages) runOr(() => compiled.run(message, batchOf(message)));
  return "ran";
}

/** Like `attemptMapping`, for an API document or `gateway.yaml`. Builds nothing from it. */
export async function attemptDocument(name: string, content: Uint8Array): Promise<Attempt> {
  const fileSystem = createMemoryFileSystem({ [name]: content });
  const { diagnostics, checked } = await checkDocuments([name], { fileSystem });
  requirePlaces(diagnostics);
  const isRefused = diagnostics.some(({ severity }) => severity === "error");
  if (isRefused === (checked !== undefined)) throw new Error("errors and facts do not exclude each other");
  return isRefused ? "refused" : "ran";
}

const surroundings = { fileSystem: { readFile: refuseFile }, environment: { NAME: "value" } };

function refuseFile(path: string): never {
  throw new Error(`no file ${path}`);
}

function batchOf(message: MessageInput) {
  return { messages: [message, { content: '{"other":1}' }], index: 0 };
}

function compileOr<T>(compile: () => T): T | undefined {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    requirePlaces(error.found);
    if (error.message === "" || error.found.length === 0)
      throw new Error("refused without a word", { cause: error });
    return undefined;
  }
}

function runOr<T>(run: () => T): T | "failed" {
  try {
    return run();
  } catch (error) {
    if (error instanceof MappingError) return "failed";
    throw error;
  }
}

function requirePlaces(diagnostics: readonly Diagnostic[]): void {
  for (const { code, span } of diagnostics) {
    const { length } = span.source.text;
    const isInside = span.start >= 0 && span.start <= span.end && span.end <= length;
    if (!isInside) throw new Error(`${code} points to ${span.start}-${span.end} of ${length}`);
    if (code.startsWith("GW9")) throw new Error(`${code} says that the compiler is broken`);
  }
}

/** Checks that the printed tree has the same results: the emitter sees the spelling of a text, the tree does not. */
function comparePrinted(text: string, results: readonly (MessageResult | null | "failed")[]): void {
  const tree = parseMapping(createSourceFile("fuzz.blobl", text), createSink().report);
  if (tree === undefined) throw new Error("what compiles does not parse");
  let isComparable = true;
  const note = (name: string, builtin: ReturnType<typeof coreBuiltins.findMethod>) => {
    // Errors that `catch` passes to a mapping contain positions and spellings of the text.
    if (name === "catch" || builtin?.pure !== true || builtin.state !== undefined) isComparable = false;
  };
  walk(tree, {
    FunctionCall: ({ name }) => note(name.text, coreBuiltins.findFunction(name.text)),
    MethodCall: ({ name }) => note(name.text, coreBuiltins.findMethod(name.text)),
  });
  if (!isComparable) return;
  const printed = printMapping(tree);
  const again = compileMapping(printed, surroundings);
  for (const [index, message] of messages.entries()) {
    const [before, after] = [results[index], runOr(() => again.run(message, batchOf(message)))];
    if (show(before) !== show(after)) {
      throw new Error(`printed as\n${printed}\nit gives ${show(after)}\ninstead of ${show(before)}`);
    }
  }
}

function show(result: MessageResult | null | "failed" | undefined): string {
  if (result === null || result === undefined || typeof result === "string") return String(result);
  const metadata = JSON.stringify(result.metadata, (_key, value) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
  return `${Buffer.from(result.content).toString("latin1")} ${metadata}`;
}
