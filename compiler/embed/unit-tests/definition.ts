// Unit tests as the reference engine's format writes them: a document's `tests` in, the cases out. What no
// case knows is a problem of that case, told where the others tell their failures.

import { suggest } from "../../diagnostics/suggest.ts";
import { locate } from "../../source/source.ts";
import { type DocumentNode, findEntry, findText, type MapNode } from "../../trees/document.ts";
import { plainValue } from "./node-values.ts";

/** A case: what to run, on what, and what must come out. */
export interface UnitTest {
  readonly name: string;
  /** Line of the definition it begins at. */
  readonly line: number;
  readonly environment: Readonly<Record<string, string>>;
  /** A JSON pointer, a label, or either behind `path#`. */
  readonly targetProcessors: string;
  /** A file that holds a mapping, to run instead of processors. */
  readonly targetMapping?: string;
  /** What stands in for processors, by label or JSON pointer. */
  readonly mocks: ReadonlyMap<string, DocumentNode>;
  readonly inputBatches: readonly (readonly MapNode[])[];
  /** For each message its conditions. */
  readonly outputBatches: readonly (readonly MapNode[])[];
  /** Why it cannot be run as written; empty when it can. */
  readonly problems: readonly string[];
}

const fields = [
  "name",
  "environment",
  "target_processors",
  "target_mapping",
  "mocks",
  "input_batch",
  "input_batches",
  "output_batches",
];
const inputFields = ["content", "json_content", "file_content", "metadata", "error"];
const conditions = [
  "bloblang",
  "content_equals",
  "content_matches",
  "file_equals",
  "file_json_contains",
  "file_json_equals",
  "json_contains",
  "json_equals",
  "metadata_equals",
];

/** The node that holds a document's tests: `tests`, or `x-tests` where unknown keys are not welcome. */
export function findTests(root: DocumentNode): DocumentNode | undefined {
  return (findEntry(root, "tests") ?? findEntry(root, "x-tests"))?.value;
}

/** The cases of a document, in the order written. */
export function readTests(root: DocumentNode): readonly UnitTest[] {
  const tests = findTests(root);
  return tests?.kind === "list" ? tests.items.map(readTest) : [];
}

function readTest(node: DocumentNode, index: number): UnitTest {
  const problems: string[] = [];
  const map = node.kind === "map" ? node : undefined;
  if (map === undefined) problems.push("a test must be an object with fields such as `input_batch`");
  else checkKeys(map, fields, "a test", problems);
  const single = findEntry(map, "input_batch");
  const inputBatches = [
    ...readBatches(map, "input_batches", problems),
    ...(single === undefined ? [] : [readBatch(single.value, "input_batch", problems)]),
  ].filter((batch) => batch.length > 0);
  const outputBatches = readBatches(map, "output_batches", problems);
  for (const message of inputBatches.flat()) checkKeys(message, inputFields, "an input message", problems);
  for (const message of outputBatches.flat()) checkKeys(message, conditions, "an output message", problems);
  const targetMapping = findText(map, "target_mapping");
  return {
    name: findText(map, "name") ?? `test ${index + 1}`,
    line: locate(map?.entries[0]?.keySpan ?? node.span).start.line,
    environment: readEnvironment(map),
    targetProcessors: findText(map, "target_processors") ?? "/pipeline/processors",
    ...(targetMapping === undefined || targetMapping === "" ? {} : { targetMapping }),
    mocks: readMocks(map),
    inputBatches,
    outputBatches,
    problems,
  };
}

function readBatches(
  map: MapNode | undefined,
  key: string,
  problems: string[],
): readonly (readonly MapNode[])[] {
  const node = findEntry(map, key)?.value;
  if (node === undefined) return [];
  if (node.kind === "list") return node.items.map((item) => readBatch(item, key, problems));
  problems.push(`\`${key}\` must be an array of batches, each an array of messages`);
  return [];
}

function readBatch(node: DocumentNode, key: string, problems: string[]): readonly MapNode[] {
  if (node.kind !== "list") {
    problems.push(`a batch of \`${key}\` must be an array of messages`);
    return [];
  }
  return node.items.map((item) => {
    if (item.kind === "map") return item;
    // A message of which nothing is said may be written as nothing.
    if (item.kind !== "scalar" || item.value !== null)
      problems.push(`a message of \`${key}\` must be an object with fields such as \`content\``);
    return { kind: "map", entries: [], span: item.span };
  });
}

function checkKeys(map: MapNode, known: readonly string[], what: string, problems: string[]): void {
  for (const { key, keySpan } of map.entries) {
    if (known.includes(key)) continue;
    const closest = suggest(key, known);
    const hint = closest === undefined ? "" : ` (did you mean \`${closest}\`?)`;
    problems.push(`line ${locate(keySpan).start.line}: unknown field \`${key}\` in ${what}${hint}`);
  }
}

function readEnvironment(map: MapNode | undefined): Readonly<Record<string, string>> {
  const node = findEntry(map, "environment")?.value;
  if (node?.kind !== "map") return {};
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, String(plainValue(value) ?? "")]));
}

function readMocks(map: MapNode | undefined): ReadonlyMap<string, DocumentNode> {
  const node = findEntry(map, "mocks")?.value;
  return new Map(node?.kind === "map" ? node.entries.map(({ key, value }) => [key, value]) : []);
}
