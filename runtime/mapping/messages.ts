// Functions that look at the message, its batch and its metadata.

import { randomInt } from "node:crypto";
import { MappingError } from "../errors.ts";
import type { Message, Metadata } from "../message/message.ts";
import { SourceNumber, type Value } from "../message/value.ts";
import { textArgument } from "./arguments.ts";
import { float, int64OfText } from "./numeric.ts";
import { getPath } from "./paths.ts";
import type { MappingRun } from "./run.ts";
import { textOf } from "./text.ts";

/** `json(path)`: unlike `this`, a number it gives is ready to calculate with. */
export function json(run: MappingRun, path: Value): Value {
  const segments = textArgument("function 'json'", "path", path);
  const document = structured(run);
  return calculable(segments === "" ? document : getPath(document, segments));
}

/** `content()` */
export function content(run: MappingRun): Uint8Array {
  return run.current?.bytes() ?? new Uint8Array();
}

/** `metadata(key)` */
export function metadata(run: MappingRun, key: Value): Value {
  const name = textArgument("function 'metadata'", "key", key);
  const source = run.readable;
  return name === "" ? Object.fromEntries(source) : (source.get(name) ?? null);
}

/** `meta(key)`: text; null also where the value is empty. */
export function meta(run: MappingRun, key: Value): Value {
  const name = textArgument("function 'meta'", "key", key);
  const source = run.readable;
  return name === "" ? texts(source) : textIn(source, name) || null;
}

/** `root_meta(key)` */
export function rootMeta(run: MappingRun, key: Value): Value {
  const name = textArgument("function 'root_meta'", "key", key);
  return name === "" ? texts(run.metadata) : (textIn(run.metadata, name) ?? null);
}

/** `error()` */
export function error(run: MappingRun): Value {
  return run.message()?.failure?.message ?? null;
}

/** `errored()` */
export function errored(run: MappingRun): boolean {
  return run.message()?.failure !== undefined;
}

/** `error_source_label()`: null where no component is known to have failed. */
export function errorSourceLabel(run: MappingRun): Value {
  return run.message()?.failureSource?.label ?? null;
}

/** `error_source_path()` */
export function errorSourcePath(run: MappingRun): Value {
  return run.message()?.failureSource?.path ?? null;
}

/** `error_source_type()` and `error_source_name()` */
export function errorSourceType(run: MappingRun): Value {
  return run.message()?.failureSource?.type ?? null;
}

/** `tracing_id()`: zeros where the message is worked on for no trace. */
export function tracingId(run: MappingRun): string {
  return run.message()?.trace?.traceparent.split("-")[1] ?? "0".repeat(32);
}

/** `tracing_span()`: the fields that tell others of the message's span; null where it has none. */
export function tracingSpan(run: MappingRun): Value {
  const trace = run.message()?.trace;
  return trace === undefined ? null : { ...trace };
}

const flowIds = /* @__PURE__ */ new WeakMap<Message, string>();

/** `flow_id()`: made up at the first call; it stays with the message as metadata. */
export function flowId(run: MappingRun): Value {
  const message = run.message();
  const given = message?.metadata.get(flowKey);
  if (typeof given === "string" && given !== "") return given;
  const known = message === undefined ? undefined : flowIds.get(message);
  const id = known ?? `${BigInt(Date.now()) * 1_000_000n}_${randomInt(2 ** 47)}`;
  if (message !== undefined) flowIds.set(message, id);
  run.keepMetadata(flowKey, id);
  return id;
}

/** The name under which the reference keeps it. */
const flowKey = "_bento_flow_id";

/** `batch_index()` */
export function batchIndex(run: MappingRun): number {
  return run.index;
}

/** `batch_size()` */
export function batchSize(run: MappingRun): number {
  return run.batch.length;
}

function structured(run: MappingRun): Value {
  const message = run.current;
  if (message === undefined) {
    throw new MappingError("target message part does not exist");
  }
  const document = message.document();
  if (document === undefined) {
    throw new MappingError(message.documentFailure());
  }
  return document;
}

/** An int64 where the text is one, else a float64, else the text. */
function calculable(value: Value): Value {
  if (!(value instanceof SourceNumber)) return value;
  const text = value.toString();
  const plain = Number(text);
  return int64OfText(text) ?? (Number.isFinite(plain) ? float(plain) : text);
}

function textIn(metadata: Metadata, name: string): string | undefined {
  const value = metadata.get(name);
  return value === undefined ? undefined : textOf(value);
}

function texts(metadata: Metadata): Value {
  return Object.fromEntries(Array.from(metadata, ([name, value]) => [name, textOf(value)]));
}
