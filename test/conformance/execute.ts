// Runs one row of the conformance data. Returns the problem, or `undefined` if there is none.

import { CompileError } from "../../compiler/embed/errors.ts";
import {
  compileMapping,
  compileQuery,
  compileTemplate,
  type RunMapping,
} from "../../compiler/embed/mapping.ts";
import { GatewayError, MappingError } from "../../runtime/errors.ts";
import { MappingRun } from "../../runtime/mapping/run.ts";
import { textOf } from "../../runtime/mapping/text.ts";
import { printJson } from "../../runtime/message/json.ts";
import { type Batch, type FailureSource, Message } from "../../runtime/message/message.ts";
import { deleted, nothing, type Value } from "../../runtime/message/value.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { boolOf, mapping as mappingProcessor } from "../../runtime/processors/mapping.ts";
import { withTrace } from "../harness/traced.ts";
import { executePrefix } from "./prefixes.ts";
import type { Row, RowMessage, RowResult } from "./rows.ts";
import { containsValue, decodeValue, parseText, sameValue } from "./values.ts";

/** The result of a row: a value, a text, or the failure of either phase. */
type Outcome =
  | { readonly kind: "message"; readonly message: Message | undefined }
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "failed"; readonly text: string }
  | { readonly kind: "refused"; readonly text: string };

/** Returns why a row fails; `undefined` if it passes. */
export function execute(row: Row): string | undefined {
  if (row.mode === "process_batch") return executeProcessors(row);
  if (row.mode === "parse_prefix" || row.mode === "literal_prefix") return executePrefix(row);
  const outcome = attemptRow(row);
  if (row.parse_error !== undefined && row.parse_error !== null)
    return expectRefusal(outcome, row, row.parse_error);
  if (row.mode === "parse") return outcome.kind === "refused" ? `refused: ${outcome.text}` : undefined;
  if (outcome.kind === "refused") {
    // The reference folds literal targets when it parses, so some of its errors occur early, others late.
    return row.error
      ? expectFailure(outcome, "refused", row.error, row.error_exact === true)
      : `refused: ${outcome.text}`;
  }
  if (row.error !== undefined && row.error !== null) {
    return expectFailure(outcome, "failed", row.error, row.error_exact === true || row.mode === "example");
  }
  if (outcome.kind === "failed") return `failed: ${outcome.text}`;
  // Steps that only advance a counter for the next step.
  if (row.sequence !== undefined && row.mode === "query" && row.output === null) return undefined;
  return outcome.kind === "message" ? compareMessage(row, outcome.message) : compareValue(row, outcome.value);
}

function attemptRow(row: Row): Outcome {
  try {
    return run(row);
  } catch (error) {
    if (error instanceof CompileError) return { kind: "refused", text: error.message };
    if (error instanceof MappingError) return { kind: "failed", text: error.message };
    throw error;
  }
}

function run(row: Row): Outcome {
  const batch = batchOf(row);
  const index = row.index ?? 0;
  const files = surroundingsOf(row);
  const vars = row.vars ?? undefined;
  const variables = vars === undefined ? undefined : decodeRecord(vars);
  const given = variables === undefined ? {} : { variables: new Set(Object.keys(variables)) };
  switch (row.mode) {
    case "interpolation": {
      const text = compileTemplate(row.template ?? "");
      return { kind: "value", value: text(new MappingRun(batch, index)) };
    }
    case "query_value":
    case "query_string": {
      const source = Object.entries(row.maps ?? {});
      if (source.length > 0) return runWithMaps(row, batch, index);
      const context = contextOf(row);
      const text = row.mapping.slice(0, row.mapping.length - (row.trailing_text_ignored ?? "").length);
      const value = compileQuery(text, given)(new MappingRun(batch, index, undefined, context), variables);
      return { kind: "value", value: row.mode === "query_string" ? textOf(value) : value };
    }
    case "query_bool": {
      const root = compileMapping(row.mapping, files);
      return { kind: "value", value: boolOf(root(new MappingRun(batch, index))) };
    }
    case "example":
    case "map_part":
    case "parse": {
      const compiled =
        row.expression === true && row.mode === "parse" ? compileQuery(row.mapping) : compileRow(row, files);
      if (
        row.mode === "parse" ||
        (row.mode === "example" && row.input === null && row.output === null && !row.deleted && !row.error)
      ) {
        return { kind: "value", value: null };
      }
      const state = new MappingRun(batch, index);
      return { kind: "message", message: state.finish(compiled(state)) };
    }
    default:
      return runBare(row, batch, index);
  }
}

/** Compiled mappings by sequence: the rows of one sequence share the state in them. */
const sequences = new Map<string, RunMapping>();

function compileRow(row: Row, options: NonNullable<Parameters<typeof compileMapping>[1]>): RunMapping {
  const known = row.sequence === undefined ? undefined : sequences.get(row.sequence);
  const compiled = known ?? compileMapping(row.mapping, options);
  if (row.sequence !== undefined) sequences.set(row.sequence, compiled);
  return compiled;
}

/** Runs a mode without a message: the row supplies `this`, and metadata cannot be set. */
function runBare(row: Row, batch: Batch, index: number): Outcome {
  const batched = row.mode === "query_batch_value";
  const overlay = row.mode === "overlay";
  const compiled = compileRow(row, overlay ? { mode: "result" } : {});
  const origin = overlay ? Message.fromText(printJson(decodeValue(row.overlay))) : undefined;
  const context = batched ? undefined : contextOf(row);
  const root = compiled(new MappingRun(batched ? batch : [], index, origin, context));
  if (root === deleted) throw new MappingError("root was deleted");
  if (root !== nothing) return { kind: "value", value: root };
  if (row.mode === "query") return { kind: "value", value: context?.value ?? null };
  return { kind: "value", value: overlay ? decodeValue(row.overlay) : nothing };
}

function runWithMaps(row: Row, batch: Batch, index: number): Outcome {
  const maps = Object.entries(row.maps ?? {}).map(
    ([name, body]) => `map ${JSON.stringify(name)} {\n${body}\n}\n`,
  );
  const compiled = compileMapping(`${maps.join("")}root = ${row.mapping}`);
  const value = compiled(new MappingRun(batch, index));
  return { kind: "value", value: row.mode === "query_string" ? textOf(value) : value };
}

function contextOf(row: Row): { readonly value: Value } | undefined {
  if (row.has_context !== true) return undefined;
  return { value: decodeValue(row.context) };
}

/** A file that the reference creates for its examples and names in this variable. */
const exampleFile = { variable: "BENTO_TEST_BLOBLANG_FILE", path: "/example.json", text: '{"foo":"bar"}' };

/** The trace context of the messages in the examples of the reference's documentation. */
const exampleTrace = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };

/** Returns the files of a row, or the one that examples may read. */
function surroundingsOf(row: Row): NonNullable<Parameters<typeof compileMapping>[1]> {
  const { variable, path, text } = exampleFile;
  const files: Readonly<Record<string, string>> | undefined =
    row.files ?? (row.mapping.includes(variable) ? { [path]: text } : undefined);
  if (files === undefined) return {};
  const readFile = (name: string): string => {
    const found = files[name];
    if (found === undefined) throw new Error(`no file ${name}`);
    return found;
  };
  return { fileSystem: { readFile }, environment: { [variable]: path } };
}

function batchOf(row: Row): Batch {
  const messages = row.messages ?? row.batch;
  if (messages !== undefined) return messages.map(messageOf);
  if (row.input === null || row.input === undefined)
    return row.mode === "example" || row.mode === "map_part" ? [messageOf({ content: "" })] : [];
  const only = messageOf({ content: String(row.input), ...(row.meta ? { meta: row.meta } : {}) });
  const failed = row.message_error
    ? only.withFailure(new GatewayError(500, row.message_error.message), sourceOf(row.message_error))
    : only;
  return [
    row.nondeterministic_because?.includes("tracing") === true ? withTrace(failed, exampleTrace) : failed,
  ];
}

function sourceOf({
  label = "",
  path = "",
  type,
}: NonNullable<Row["message_error"]>): FailureSource | undefined {
  return type === undefined ? undefined : { label, path, type };
}

function messageOf({ content, meta, error }: RowMessage): Message {
  const message = Message.fromText(content, new Map(Object.entries(decodeRecord(meta ?? {}))));
  return error === undefined ? message : message.withFailure(new GatewayError(500, error));
}

function decodeRecord(data: Readonly<Record<string, unknown>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(data).map(([name, each]) => [name, decodeValue(each)]));
}

/** If the data contains no position, the position in the text is not compared. */
function expectRefusal(outcome: Outcome, row: Row, text: string): string | undefined {
  const exact = row.parse_error_exact === true || row.mode === "interpolation";
  const isPlaced = row.line !== undefined || row.mode === "interpolation";
  const placeless =
    outcome.kind === "refused" && !isPlaced
      ? { ...outcome, text: outcome.text.replace(/^line \d+ char \d+: /, "") }
      : outcome;
  return expectFailure(placeless, "refused", text, exact);
}

function expectFailure(
  outcome: Outcome,
  kind: Outcome["kind"],
  text: string,
  exact: boolean,
): string | undefined {
  if (outcome.kind !== "failed" && outcome.kind !== "refused") return `succeeded, should fail with: ${text}`;
  if (outcome.kind !== kind) return `${outcome.kind}, should be ${kind}: ${outcome.text}`;
  const same = exact ? outcome.text === text : outcome.text.includes(text);
  return same ? undefined : `${outcome.kind} with ${outcome.text}\n  instead of ${text}`;
}

function compareMessage(row: Row, message: Message | undefined): string | undefined {
  if (row.deleted === true) return message === undefined ? undefined : "kept, should be dropped";
  if (message === undefined) return "dropped";
  const text = Buffer.from(message.bytes()).toString("utf8");
  const expected = typeof row.output === "string" ? row.output : JSON.stringify(row.output);
  const same =
    row.output_format === "value"
      ? sameValue(parseText(text), decodeValue(row.output), row.tolerance)
      : text === expected;
  if (!same) return `gave ${text}\n  instead of ${expected}`;
  return row.output_meta ? compareMetadata(message, row.output_meta) : undefined;
}

function compareMetadata(message: Message, expected: Readonly<Record<string, unknown>>): string | undefined {
  const actual = Object.fromEntries(message.metadata);
  if (sameValue(actual, decodeRecord(expected))) return undefined;
  return `gave metadata ${JSON.stringify(actual)}\n  instead of ${JSON.stringify(expected)}`;
}

function compareValue(row: Row, value: Value): string | undefined {
  if (row.output_string !== undefined && textOf(value) !== row.output_string) {
    return `gave text ${textOf(value)}\n  instead of ${row.output_string}`;
  }
  if (row.mode === "exec" && row.output_string !== undefined) return undefined;
  const expected = decodeValue(row.output);
  return sameValue(value, expected, row.tolerance)
    ? undefined
    : `gave ${textOf(value)}\n  instead of ${JSON.stringify(row.output)}`;
}

function executeProcessors(row: Row): string | undefined {
  const before = { ...process.env };
  Object.assign(process.env, row.env ?? {});
  try {
    let batch: Batch = (row.batch ?? []).map(messageOf);
    for (const step of row.processors ?? []) batch = runProcessor(step, batch);
    return compareBatch(batch, row.output_batch ?? []);
  } catch (error) {
    if (error instanceof CompileError) return `refused: ${error.message}`;
    throw error;
  } finally {
    process.env = before;
  }
}

function runProcessor(step: { readonly type: string; readonly mapping: string }, batch: Batch): Batch {
  const compiled = compileMapping(step.mapping, { mode: step.type === "mutation" ? "mutation" : "mapping" });
  const processor = mappingProcessor((all, index) => {
    const state = new MappingRun(all, index);
    return state.finish(compiled(state));
  });
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  const result = processor.process(batch, context);
  if (result instanceof Promise) throw new Error("mappings are synchronous");
  return result[0] ?? [];
}

function compareBatch(batch: Batch, expected: readonly RowResult[]): string | undefined {
  if (batch.length !== expected.length) return `gave ${batch.length} messages instead of ${expected.length}`;
  const wrong = batch.map((message, index) => compareResult(message, expected[index] ?? {}));
  return wrong.find((each) => each !== undefined);
}

function compareResult(message: Message, expected: RowResult): string | undefined {
  const text = Buffer.from(message.bytes()).toString("utf8");
  if (expected.content !== undefined && text !== expected.content)
    return `gave ${text}\n  instead of ${expected.content}`;
  if (expected.json !== undefined && !sameValue(parseText(text), decodeValue(expected.json)))
    return `gave ${text}\n  instead of ${JSON.stringify(expected.json)}`;
  if (
    expected.json_contains !== undefined &&
    !containsValue(parseText(text), decodeValue(expected.json_contains))
  )
    return `gave ${text}`;
  if (expected.error !== undefined && !message.failure?.message.includes(expected.error))
    return `failure ${message.failure?.message} instead of ${expected.error}`;
  return expected.meta === undefined ? undefined : compareMetadata(message, expected.meta);
}
