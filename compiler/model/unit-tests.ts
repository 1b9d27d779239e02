// Reads the unit tests of a document: of processors, in the reference engine's format, and of templates. Also reads the
// fields that templates declare.

import { locate } from "../source/source.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type Json,
  type MapEntry,
  type MapNode,
  toJson,
} from "../trees/document.ts";
import { entriesOf, itemsOf } from "./written.ts";

/** A test case: processors to run, input messages, and expected results. */
export interface UnitTest {
  readonly name: string;
  /** The node of the case. */
  readonly node: DocumentNode;
  /** The line of the definition at which it begins. */
  readonly line: number;
  /** The variables that the test adds to the environment. */
  readonly environment: readonly MapEntry[];
  /** A JSON pointer or a label, optionally preceded by `path#`. */
  readonly targetProcessors: string;
  /** A file with a mapping to run instead of processors. */
  readonly targetMapping?: string;
  /** The entries that name the target. A mapping takes precedence; without any, the target is the default. */
  readonly mappingEntry: MapEntry | undefined;
  readonly processorsEntry: MapEntry | undefined;
  /** Replacements of processors. The keys are labels or JSON pointers. */
  readonly mocks: readonly MapEntry[];
  readonly inputBatches: readonly (readonly SentMessage[])[];
  readonly outputBatches: readonly (readonly ExpectedMessage[])[];
}

/** A message that a test sends. */
export interface SentMessage {
  readonly node: MapNode;
  /** The fields with its content that are written, in order of precedence. */
  readonly contents: readonly MapEntry[];
  /** The file with its content. */
  readonly path: string | undefined;
  readonly json: MapEntry | undefined;
  readonly content: DocumentNode | undefined;
  /** The object of its metadata. */
  readonly metadata: DocumentNode | undefined;
  /** The error with which it has failed before. */
  readonly error: string | undefined;
}

/** The conditions for a message. */
export interface ExpectedMessage {
  readonly node: MapNode;
  readonly query: MapEntry | undefined;
  readonly pattern: DocumentNode | undefined;
  /** The conditions on the whole JSON document, and on a part of it. */
  readonly jsonEquals: MapEntry | undefined;
  readonly jsonContains: MapEntry | undefined;
  /** The required metadata. */
  readonly metadata: readonly MapEntry[];
}

/** A test of a template: the fields of a component, and the configuration that the template generates from them. */
export interface TemplateTest {
  readonly name: string;
  readonly node: DocumentNode;
  readonly config: MapEntry | undefined;
  readonly expected: DocumentNode | undefined;
}

/** Returns the entry with a document's tests: `tests`, or `x-tests` for documents that do not allow unknown keys. */
export function findTests(root: DocumentNode): MapEntry | undefined {
  return findEntry(root, "tests") ?? findEntry(root, "x-tests");
}

/** Returns the streams below an extension of a document; `undefined` if it has none. */
export function streamEntries(root: DocumentNode, extension: string): readonly MapEntry[] | undefined {
  const streams = findNode(root, extension, "streams");
  return streams?.kind === "map" ? streams.entries : undefined;
}

/** Returns the cases of a document, in the order written. */
export function readTests(root: DocumentNode): readonly UnitTest[] {
  return itemsOf(findTests(root)?.value).map(readTest);
}

/** The parts of a template file that no schema reads. */
export interface WrittenTemplate {
  readonly name: DocumentNode | undefined;
  readonly fields: readonly DeclaredTemplateField[];
}

/** A field as the file declares it. */
export interface DeclaredTemplateField {
  readonly name: string;
  readonly type: string;
  readonly kind: string;
  /** The default value; without it, the field is required. */
  readonly fallback: Json | undefined;
}

/** Reads the file of a template. */
export function readWrittenTemplate(root: DocumentNode): WrittenTemplate {
  return { name: findNode(root, "name"), fields: itemsOf(findNode(root, "fields")).map(fieldOf) };
}

function fieldOf(node: DocumentNode): DeclaredTemplateField {
  const fallback = findNode(node, "default");
  return {
    name: findText(node, "name") ?? "",
    type: findText(node, "type") ?? "unknown",
    kind: findText(node, "kind") ?? "scalar",
    fallback: fallback && toJson(fallback),
  };
}

/** Returns the tests in the file of a template. */
export function readTemplateTests(root: DocumentNode): readonly TemplateTest[] {
  return itemsOf(findEntry(root, "tests")?.value).map((node, index) => ({
    name: nameOf(node, index),
    node,
    config: findEntry(node, "config"),
    expected: findEntry(node, "expected")?.value,
  }));
}

function nameOf(node: DocumentNode, index: number): string {
  return findText(node, "name") ?? `test ${index + 1}`;
}

function readTest(node: DocumentNode, index: number): UnitTest {
  const single = findEntry(node, "input_batch");
  const inputBatches = [
    ...itemsOf(findEntry(node, "input_batches")?.value).map(messagesOf),
    ...(single === undefined ? [] : [messagesOf(single.value)]),
  ].filter((batch) => batch.length > 0);
  const mapping = findEntry(node, "target_mapping");
  const processors = findEntry(node, "target_processors");
  const targetMapping = findText(mapping?.value);
  return {
    name: nameOf(node, index),
    node,
    line: locate(entriesOf(node)[0]?.keySpan ?? node.span).start.line,
    environment: entriesOf(findEntry(node, "environment")?.value),
    targetProcessors: findText(processors?.value) ?? "/pipeline/processors",
    ...(targetMapping === undefined || targetMapping === "" ? {} : { targetMapping }),
    mappingEntry: mapping,
    processorsEntry: processors,
    mocks: entriesOf(findEntry(node, "mocks")?.value),
    inputBatches: inputBatches.map((batch) => batch.map(readSent)),
    outputBatches: itemsOf(findEntry(node, "output_batches")?.value).map((batch) =>
      messagesOf(batch).map(readExpected),
    ),
  };
}

/** Returns the messages of a batch. A message may be empty. */
function messagesOf(batch: DocumentNode): readonly MapNode[] {
  return itemsOf(batch).map((item) =>
    item.kind === "map" ? item : { kind: "map", entries: [], span: item.span },
  );
}

function readSent(node: MapNode): SentMessage {
  const file = findEntry(node, "file_content");
  const json = findEntry(node, "json_content");
  const content = findEntry(node, "content");
  return {
    node,
    contents: [file, json, content].flatMap((entry) => entry ?? []),
    path: findText(file?.value),
    json,
    content: content?.value,
    metadata: findEntry(node, "metadata")?.value,
    error: findText(node, "error"),
  };
}

function readExpected(node: MapNode): ExpectedMessage {
  return {
    node,
    query: findEntry(node, "bloblang"),
    pattern: findEntry(node, "content_matches")?.value,
    jsonEquals: findEntry(node, "json_equals"),
    jsonContains: findEntry(node, "json_contains"),
    metadata: entriesOf(findEntry(node, "metadata_equals")?.value),
  };
}
