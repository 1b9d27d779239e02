// Checks the unit tests of a file without running them: their shape, and their expectations against the types of
// messages.

import { posix } from "node:path";
import type { CheckedSet } from "../../check/checked-set.ts";
import type { FlowStep } from "../../check/flow/context.ts";
import { shownTypes } from "../../check/inference/demands.ts";
import { inferMapping } from "../../check/inference/infer-mapping.ts";
import { checkMapping } from "../../check/mapping/check.ts";
import type { ObservedScript } from "../../check/observer.ts";
import { catalogue } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { applyLevels, type Leveled } from "../../diagnostics/levels.ts";
import { createSink, ignoreReports, type Report } from "../../diagnostics/sink.ts";
import { nearest, suggest } from "../../diagnostics/suggest.ts";
import {
  type ExpectedMessage,
  findTests,
  readTests,
  type SentMessage,
  type UnitTest,
} from "../../model/unit-tests.ts";
import { entriesOf } from "../../model/written.ts";
import { resolvePath } from "../../parse/document/paths.ts";
import { findMisspeltTests } from "../../parse/document/read-api.ts";
import { mappingTexts, readSuppressions } from "../../parse/suppressions/read-suppressions.ts";
import { offsetsOf, type Span } from "../../source/source.ts";
import type { FieldNode, LoadedDocument } from "../../trees/api.ts";
import { type DocumentNode, findEntry, findText, type MapEntry, type MapNode } from "../../trees/document.ts";
import { fieldsOfStream } from "../../trees/fields.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { explainMismatch } from "../../value-types/assignable.ts";
import { typeOfValue } from "../../value-types/json-schema/read/literals.ts";
import {
  anyMessage,
  type MessageType,
  nullType,
  type ObjectType,
  type Type,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { checkProcessors } from "../check-processors.ts";
import { checkEmptyConditions, checkSent, checkUnreadVariables, reportSlip } from "./check-given.ts";
import {
  checkTest,
  checkTestList,
  conditionScope,
  readTarget,
  splitTarget,
  type TestCondition,
  type TestPlace,
} from "./check-test.ts";
import { isDefinitionName } from "./find-definitions.ts";
import { plainValue } from "./node-values.ts";
import { findTargetNode } from "./target.ts";
import { readTargetDocument } from "./target-document.ts";

const testsKey = /^["']?(?:x-)?tests?["']?[ \t]*:/m;
const otherKey = /^(?!["']?(?:x-)?tests?["']?[ \t]*:)["'\w][^\n:]*:(?:[ \t]|\r?$)/m;
const caseKey =
  /(?:^|[\s{,-])["']?(?:target_processors|target_mapping|input_batch|input_batches|output_batches)["']?[ \t]*:/m;

/**
 * Whether a text contains only unit tests of this project. Other programs may use the same file names and keys; if
 * the text contains no case yet, the name of the file decides.
 */
export function isTestFile(path: string, text: string): boolean {
  if (!/\.ya?ml$/i.test(path) || !testsKey.test(text) || otherKey.test(text)) return false;
  return caseKey.test(text) || (isDefinitionName(path) && !/^["']?(?:x-)?test["']?[ \t]*:/m.test(text));
}

/** The diagnostics of unit tests, and the scripts in them. */
export interface CheckedCases extends Leveled {
  readonly scripts: readonly ObservedScript[];
}

/**
 * Checks the unit tests in a file. `checked`: the check results of the documents under test, if known. `found`: the
 * diagnostics already reported for the file.
 */
export async function checkCases(
  { file, root }: Pick<LoadedDocument, "file" | "root">,
  place: TestPlace,
  checked: CheckedSet | undefined,
  found: readonly Diagnostic[] = [],
): Promise<CheckedCases> {
  const scripts: ObservedScript[] = [];
  const add = (field: FieldNode, message: MessageType): void => {
    if (field.kind === "Mapping" && field.span.source.file === file)
      scripts.push(observe(field, message, place));
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
  else if (root.kind === "map") findMisspeltTests(root, posix.basename(file.path), sink.report);
  for (const test of readTests(root)) {
    const conditions = await checkTest(test, place, sink.report);
    checkEmptyConditions(test, sink.report);
    checkUnreadVariables(test, place, checked, sink.report);
    const after = messagesAfter(test, place, checked);
    if (after?.before !== undefined)
      for (const each of test.inputBatches.flat()) checkSent(each, after.before, sink.report);
    for (const condition of conditions) {
      add(condition, after?.passed ?? anyMessage);
      if (after?.any !== undefined) checkCondition(condition, after.any, place, sink.report);
    }
    if (after?.any !== undefined)
      for (const each of test.outputBatches.flat()) checkExpected(each, after.any, sink.report);
    const target = await readTarget(test, place, sink.report, readOnce);
    if (target === undefined || test.mocks.length === 0) continue;
    const { nodes, places, around } = target;
    const mocked = await checkProcessors(nodes, { ...place, places }, sink, around);
    for (const field of mocked === undefined ? [] : fieldsOfStream(mocked.stream)) add(field, anyMessage);
  }
  const suppressions = readSuppressions(
    {
      documents: [{ file, root, ignores: [] }],
      mappings: [...mappingTexts(scripts.map(({ field }) => field))],
    },
    sink.report,
  );
  // Errors of the target are reported in its own file.
  const own = sink.reported().filter(({ span }) => span.source.file === file);
  return { ...applyLevels([...found, ...own], new Map(), suppressions), scripts };
}

function observe(field: TestCondition, message: MessageType, { dialect }: TestPlace): ObservedScript {
  const scope = { ...conditionScope, builtins: dialect.builtins };
  const checked = checkMapping(field.mapping, scope, ignoreReports);
  const mode = field.startsFrom === "message" ? "mutation" : "mapping";
  const { types, failures, message: result } = inferMapping(checked, message, mode, ignoreReports);
  return { field, message, origin: message, scope, types, failures, result };
}

/** Reports the problems of a condition that occur for every possible message. */
function checkCondition(
  { mapping, span }: TestCondition,
  message: MessageType,
  { dialect: { builtins } }: TestPlace,
  report: Report,
): void {
  const checked = checkMapping(mapping, { ...conditionScope, builtins }, ignoreReports);
  // A failed message keeps the form it had at some step, so problems for only some messages are not reported.
  const { root } = inferMapping(checked, message, "mapping", (code, ...details) => {
    if (catalogue[code].severity === "error" || code === "GW3109" || code === "GW3117")
      report(code, ...details);
  });
  const kinds = alternativesOf(root);
  if (kinds.length > 0 && !kinds.some(({ kind }) => kind === "Bool" || kind === "Unknown"))
    report("GW3111", span, { found: shownTypes([root]) });
}

/** The messages at the processors that a test runs. */
interface MessagesAfter {
  /** The messages that reach the processors, if known. */
  readonly before: MessageType | undefined;
  /** Messages on which no processor failed. */
  readonly passed: MessageType;
  /** All messages, including failed ones, which keep their form before the failing processor; absent if unknown. */
  readonly any: MessageType | undefined;
}

/** Returns `undefined` if the types are unknown: for mappings in files, and for tests with mocks. */
function messagesAfter(
  test: UnitTest,
  { file, target }: TestPlace,
  checked: CheckedSet | undefined,
): MessagesAfter | undefined {
  if (checked === undefined || test.targetMapping !== undefined || test.mocks.length > 0) return undefined;
  const { path, pointer } = splitTarget(test.targetProcessors);
  const document = path === "" ? target : resolvePath(file, path);
  const { root } = checked.set.documents.find((each) => isSameFile(each.file.path, document)) ?? {};
  const found = root && findTargetNode(root, pointer);
  const [first, last] = found?.kind === "list" ? [found.items.at(0), found.items.at(-1)] : [found, found];
  if (found === undefined || first === undefined || last === undefined) return undefined;
  const streams = checked.set.apis.flatMap((api) => api.streams.map((stream) => checked.steps(stream)));
  const steps = streams.find((each) => each.some(isStepOf(last)));
  const passed = steps?.find(isStepOf(last))?.message;
  if (steps === undefined || passed === undefined) return undefined;
  const begin = steps.find(isStepOf(first));
  const before = steps.find(({ component }) => component === begin?.before)?.message;
  // A message that the document does not declare may have any form at any step.
  if (before === undefined || !areDeclared(test, before)) return { before, passed, any: undefined };
  const within = steps.filter(({ component: { node } }) => contains(found.span, node.span));
  return { before, passed, any: unionOfMessages([before, ...within.map(({ message }) => message)], test) };
}

function isSameFile(one: string, other: string): boolean {
  return posix.resolve(one.replaceAll("\\", "/")) === posix.resolve(other.replaceAll("\\", "/"));
}

function isStepOf({ span }: DocumentNode): (step: FlowStep) => boolean {
  return ({ component: { node } }) =>
    contains(span, node.span) && offsetsOf(node.span).start === offsetsOf(span).start;
}

function contains(outer: Span, inner: Span): boolean {
  const [whole, part] = [offsetsOf(outer), offsetsOf(inner)];
  return inner.source.file === outer.source.file && whole.start <= part.start && part.end <= whole.end;
}

/** Whether the messages that a test sends match the declaration of the document. */
function areDeclared({ inputBatches }: UnitTest, { content }: MessageType): boolean {
  return inputBatches.flat().every((message) => {
    const json = sentJson(message);
    if (json === undefined || message.error !== undefined) return false;
    return explainMismatch(typeOfValue(json), content).length === 0;
  });
}

function sentJson({ json, content }: SentMessage): unknown {
  if (json !== undefined) return plainValue(json.value);
  try {
    return JSON.parse(findText(content) ?? "");
  } catch {
    return undefined; // the message is not JSON
  }
}

function unionOfMessages(messages: readonly MessageType[], { inputBatches }: UnitTest): MessageType {
  const known = new Map(messages.flatMap(({ metadata }) => [...metadata.known]));
  for (const [name, field] of known) {
    const types = messages.flatMap(({ metadata }) => metadata.known.get(name)?.type ?? []);
    known.set(name, { ...field, type: unionOf(types), required: false });
  }
  // A test may send metadata that the input does not set.
  for (const { key, value } of inputBatches.flat().flatMap(({ metadata }) => entriesOf(metadata))) {
    const { type } = known.get(key) ?? {};
    const given = typeOfValue(plainValue(value));
    known.set(key, { type: unionOf(type === undefined ? [given] : [type, given]), required: false });
  }
  const others = messages.some(({ metadata }) => metadata.others);
  return { content: unionOf(messages.map(({ content }) => content)), metadata: { known, others } };
}

/** Reports expectations for one message that no message of `type` can meet. */
function checkExpected(
  conditions: ExpectedMessage,
  { content, metadata }: MessageType,
  report: Report,
): void {
  const { jsonEquals, jsonContains } = conditions;
  for (const expected of [jsonEquals, jsonContains]) {
    // A text contains the expected value as JSON.
    if (expected === undefined || typeof plainValue(expected.value) === "string") continue;
    checkValue(expected, content, { isWhole: expected === jsonEquals, report });
  }
  for (const entry of conditions.metadata) {
    const { type } = metadata.known.get(entry.key) ?? {};
    if (type !== undefined) checkValue(entry, type, { isWhole: true, report });
    else reportUnknown(entry, "metadata_equals", [...metadata.known.keys()], metadata.others, report);
  }
}

interface Comparison {
  /** Whether fields that are not written must be absent. */
  readonly isWhole: boolean;
  readonly report: Report;
}

function checkValue(entry: MapEntry, type: Type, comparison: Comparison): void {
  const { key, value } = entry;
  const options = alternativesOf(type).filter(({ kind }) => kind !== "Deleted" && kind !== "Nothing");
  if (options.length === 0 || options.some(({ kind }) => kind === "Unknown")) return;
  if (value.kind === "scalar") checkScalar(entry, type, comparison.report);
  if (value.kind === "list") {
    const items = options.flatMap((option) => (option.kind === "Array" ? [option.items] : []));
    if (items.length === 0) reportType(entry, type, "an array", comparison.report);
    for (const item of value.items)
      checkValue({ key, keySpan: item.span, value: item }, unionOf(items), comparison);
  }
  if (value.kind === "map") {
    const objects = options.flatMap((option) => (option.kind === "Object" ? [option] : []));
    if (objects.length === 0) reportType(entry, type, "an object", comparison.report);
    const wanted = nearestObject(value, objects);
    const known = [...new Set(objects.flatMap(({ fields }) => [...fields.keys()]))];
    if (wanted !== undefined) checkFields(entry, value, wanted, { ...comparison, known });
    // One of the objects may have any other name, so report only likely misspellings.
    else
      for (const each of value.entries)
        if (!known.includes(each.key)) reportSlip(each, key, known, value.entries, comparison.report);
  }
}

/**
 * Returns the object type that the value matches best, with the fewest mismatches; `undefined` if it matches one
 * exactly.
 */
function nearestObject(value: DocumentNode, objects: readonly ObjectType[]): ObjectType | undefined {
  const found = typeOfValue(plainValue(value));
  const faults = objects.map((each) => explainMismatch(found, each).length);
  const least = Math.min(...faults);
  return least === 0 ? undefined : objects[faults.indexOf(least)];
}

function checkFields(
  { key, keySpan }: MapEntry,
  value: MapNode,
  { fields, rest }: ObjectType,
  comparison: Comparison & { readonly known: readonly string[] },
): void {
  const { isWhole, report, known } = comparison;
  let misspelt = 0;
  for (const entry of value.entries) {
    const field = fields.get(entry.key);
    if (field !== undefined)
      checkValue(entry, field.required ? field.type : unionOf([field.type, nullType]), comparison);
    else if (rest !== undefined) {
      reportSlip(entry, key, known, value.entries, report);
      checkValue(entry, rest, comparison);
    } else {
      misspelt++;
      reportUnknown(entry, key, known, false, report);
    }
  }
  const missing = [...fields].flatMap(([name, field]) =>
    field.required && findEntry(value, name) === undefined && !isAbsent(field.type) ? [name] : [],
  );
  if (isWhole && misspelt === 0 && missing.length > 0)
    report("GW4011", keySpan, { owner: key, fields: missing });
}

/** Whether a value is deleted, or may be. */
function isAbsent(type: Type): boolean {
  return alternativesOf(type).some(
    ({ kind }) => kind === "Deleted" || kind === "Nothing" || kind === "Unknown",
  );
}

function checkScalar(entry: MapEntry, type: Type, report: Report): void {
  const value = plainValue(entry.value);
  const [fault] = explainMismatch(typeOfValue(value), type);
  if (fault === undefined || !fault.certain) return;
  const allowed = alternativesOf(type).flatMap((each) =>
    each.kind === "String" && each.value !== undefined ? [each.value] : [],
  );
  if (fault.problem === "value" && typeof value === "string")
    report("GW4013", entry.value.span, { field: entry.key, value, allowed, ...nearest(value, allowed) });
  else reportType(entry, type, shownValue(value), report);
}

function shownValue(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return `the string \`${value}\``;
  return typeof value === "boolean" ? `\`${value}\`` : `the number ${value}`;
}

function reportType({ key, value }: MapEntry, type: Type, found: string, report: Report): void {
  report("GW4012", value.span, { field: key, expected: shownTypes([type]), found, hint: undefined });
}

function reportUnknown(
  { key, keySpan }: MapEntry,
  owner: string,
  known: readonly string[],
  isOpen: boolean,
  report: Report,
): void {
  // If other names are possible, report only names that are similar to a known one.
  if (isOpen && suggest(key, known) === undefined) return;
  report("GW4010", keySpan, { owner, field: key, known, ...nearest(key, known) });
}
