// Checks a unit test before it runs: its shape, the queries of its conditions, the files it names, its target and
// its mocks. Also finds the target as trees.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Schema } from "../../../schemas/schema.ts";
import { checkShape } from "../../check/document/shape.ts";
import { checkMapping } from "../../check/mapping/check.ts";
import type { MappingScope } from "../../check/mapping/checked.ts";
import { whyNotRe2 } from "../../check/regexp.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { evaluator } from "../../evaluate/evaluate-method.ts";
import type { ExpectedMessage, SentMessage, UnitTest } from "../../model/unit-tests.ts";
import type { FileSystem } from "../../parse/document/file-system.ts";
import { maximumBytes } from "../../parse/document/limits.ts";
import { resolvePath } from "../../parse/document/paths.ts";
import { isReadable, readSourceFile } from "../../parse/document/read-file.ts";
import { readField } from "../../parse/streams/fields.ts";
import { type SourceFile, type Span, spanOf, wholeSpan } from "../../source/source.ts";
import type { FieldNode } from "../../trees/api.ts";
import type { Dialect } from "../../trees/dialect.ts";
import {
  type DocumentNode,
  findText,
  type MapEntry,
  type MapNode,
  type ScalarNode,
} from "../../trees/document.ts";
import { hostReaching } from "../host-functions.ts";
import { plainValue } from "./node-values.ts";
import { findTarget, type Target, TargetError } from "./target.ts";
import { readTargetDocument } from "./target-document.ts";

/** The location and the subject of a test. */
export interface TestPlace {
  /** The components and functions that the documents may use. */
  readonly dialect: Dialect;
  /** The file of the definition. */
  readonly file: string;
  /** The document for targets without a path of their own. */
  readonly target: string;
  readonly fileSystem: FileSystem;
  /** The environment, to which the test adds its own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files whose resources the documents may use. */
  readonly resources: readonly string[];
}

/** The query of a condition. */
export type TestCondition = Extract<FieldNode, { readonly kind: "Mapping" }>;

/** The scope of the queries of conditions. */
export const conditionScope: MappingScope = { allowed: hostReaching, evaluate: evaluator };

const caseSchema: Schema = documentSchemas.unitTests.items ?? {};

/** Reports tests that are not a list. An empty value is accepted, since the user may be about to write it. */
export function checkTestList({ key, keySpan, value }: MapEntry, report: Report): void {
  const place = { node: value, name: key, nameSpan: keySpan, schema: { type: "array" } } as const;
  if (value.kind !== "scalar" || value.value !== null) checkShape(place, undefined, report);
}

/** Reports errors in the definition of a test; returns the queries of its conditions. */
export async function checkTest(
  { node, inputBatches, outputBatches }: UnitTest,
  { file, fileSystem }: TestPlace,
  report: Report,
): Promise<readonly TestCondition[]> {
  checkShape({ node, name: "test", nameSpan: beginningOf(node), schema: caseSchema }, undefined, report);
  const conditions = outputBatches.flat().flatMap((message) => {
    const query = readCondition(message.query, report);
    if (query === undefined) return [];
    checkMapping(query.mapping, conditionScope, report);
    return [query];
  });
  for (const message of outputBatches.flat()) checkPattern(message, report);
  for (const message of inputBatches.flat()) checkContents(message, report);
  const reading = { fileSystem, report, limit: maximumBytes };
  for (const message of [...inputBatches, ...outputBatches].flat())
    for (const { key, value } of message.node.entries)
      if (key.startsWith("file_") && value.kind === "scalar" && typeof value.value === "string")
        await isReadable(resolvePath(file, value.value), reading, value.span);
  return conditions;
}

function checkPattern({ pattern: node }: ExpectedMessage, report: Report): void {
  const pattern = findText(node);
  if (node === undefined || pattern === undefined || whyNotRe2(pattern) === undefined) return;
  report("GW4015", node.span, {
    field: "content_matches",
    value: pattern,
    expected: "a regular expression of RE2",
  });
}

function checkContents({ contents }: SentMessage, report: Report): void {
  const [first, ...others] = contents;
  for (const { key, keySpan } of others) report("GW4194", keySpan, { field: key, instead: first?.key ?? "" });
}

function readCondition(entry: MapEntry | undefined, report: Report): TestCondition | undefined {
  if (entry === undefined) return undefined;
  const schema: Schema = { type: "string", "x-text": "mapping" };
  const field = readField(entry.value, { name: entry.key, schema, report, readComponent: () => undefined });
  return field?.kind === "Mapping" ? field : undefined;
}

/**
 * Returns the processors that a test runs, as trees, with its mocks in place; `undefined` after reporting why there
 * are none. Callers that read many tests may pass a cache for the documents.
 */
export async function readTarget(
  test: UnitTest,
  place: TestPlace,
  report: Report,
  readDocument = readTargetDocument,
): Promise<Target | undefined> {
  const { file, fileSystem, resources } = place;
  const environment = environmentOf(test, place);
  const named = test.mappingEntry ?? test.processorsEntry;
  if (test.targetMapping !== undefined)
    return readMappingTarget(resolvePath(file, test.targetMapping), { fileSystem, named }, report);
  const { path, pointer } = splitTarget(test.targetProcessors);
  const document = path === "" ? place.target : resolvePath(file, path);
  const isThere = await isReadable(
    document,
    { fileSystem, report, limit: maximumBytes },
    spanFor(named, test),
  );
  const root = isThere
    ? await readDocument(document, { fileSystem, environment, resources }, report)
    : undefined;
  try {
    return root && findTarget(root, pointer, test.mocks);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const { reference, closest } = error;
    const mock = test.mocks.find(({ key }) => key === reference);
    const span = mock?.keySpan ?? spanFor(named, test);
    report("GW1030", span, { reference, missing: reference, closest });
    return undefined;
  }
}

/** Returns the environment of a test: that of the run, and the variables that the test adds. */
export function environmentOf(test: UnitTest, place: TestPlace): TestPlace["environment"] {
  const added = test.environment.map(({ key, value }) => [key, String(plainValue(value) ?? "")]);
  return { ...place.environment, ...Object.fromEntries(added) };
}

/** Splits `target.yaml#/pipeline/processors` into path and pointer. The path is empty if there is none. */
export function splitTarget(target: string): { readonly path: string; readonly pointer: string } {
  const at = target.indexOf("#");
  return at < 0
    ? { path: "", pointer: target }
    : { path: target.slice(0, at), pointer: target.slice(at + 1) };
}

/** Reads a file with a mapping as the only processor of a test. */
async function readMappingTarget(
  path: string,
  { fileSystem, named }: { readonly fileSystem: FileSystem; readonly named: MapEntry | undefined },
  report: Report,
): Promise<Target | undefined> {
  const file = await readSourceFile(path, { fileSystem, report, limit: maximumBytes }, named?.value.span);
  if (file === undefined) return undefined;
  const node = mappingProcessor(file);
  return { nodes: [node], places: ["processors[0]"], around: { ...node, entries: [] } };
}

/** Returns a `mapping` processor with the whole text of a file, as a tree. */
export function mappingProcessor(file: SourceFile): MapNode {
  const span = wholeSpan(file);
  const value: ScalarNode = { kind: "scalar", value: file.text, span, text: file };
  return { kind: "map", entries: [{ key: "mapping", keySpan: span, value }], span };
}

function spanFor(named: MapEntry | undefined, { node }: UnitTest): Span {
  return named?.value.span ?? beginningOf(node);
}

/** Returns the source range of the first key of a case, since the whole case would span many lines. */
function beginningOf(node: DocumentNode): Span {
  const [first] = node.kind === "map" ? node.entries : [];
  return first?.keySpan ?? spanOf(node.span.source, node.span.start, node.span.start + 1);
}
