// Reads unit tests in the reference engine's format from the `tests` of a document.

import { locate } from "../../source/source.ts";
import { type DocumentNode, findEntry, findText, type MapEntry, type MapNode } from "../../trees/document.ts";
import { plainValue } from "./node-values.ts";

/** A test case: processors to run, input messages, and expected results. */
export interface UnitTest {
  readonly name: string;
  /** The node of the case. */
  readonly node: DocumentNode;
  /** The line of the definition at which it begins. */
  readonly line: number;
  readonly environment: Readonly<Record<string, string>>;
  /** A JSON pointer or a label, optionally preceded by `path#`. */
  readonly targetProcessors: string;
  /** A file with a mapping to run instead of processors. */
  readonly targetMapping?: string;
  /** Replacements of processors, by label or JSON pointer. */
  readonly mocks: ReadonlyMap<string, DocumentNode>;
  readonly inputBatches: readonly (readonly MapNode[])[];
  /** The conditions for each message. */
  readonly outputBatches: readonly (readonly MapNode[])[];
}

/** Returns the entry with a document's tests: `tests`, or `x-tests` for documents that do not allow unknown keys. */
export function findTests(root: DocumentNode): MapEntry | undefined {
  return findEntry(root, "tests") ?? findEntry(root, "x-tests");
}

/** Returns the cases of a document, in the order written. */
export function readTests(root: DocumentNode): readonly UnitTest[] {
  const tests = findTests(root)?.value;
  return tests?.kind === "list" ? tests.items.map(readTest) : [];
}

function readTest(node: DocumentNode, index: number): UnitTest {
  const map = node.kind === "map" ? node : undefined;
  const single = findEntry(map, "input_batch");
  const inputBatches = [
    ...readBatches(map, "input_batches"),
    ...(single === undefined ? [] : [readBatch(single.value)]),
  ].filter((batch) => batch.length > 0);
  const targetMapping = findText(map, "target_mapping");
  return {
    name: findText(map, "name") ?? `test ${index + 1}`,
    node,
    line: locate(map?.entries[0]?.keySpan ?? node.span).start.line,
    environment: readEnvironment(map),
    targetProcessors: findText(map, "target_processors") ?? "/pipeline/processors",
    ...(targetMapping === undefined || targetMapping === "" ? {} : { targetMapping }),
    mocks: readMocks(map),
    inputBatches,
    outputBatches: readBatches(map, "output_batches"),
  };
}

function readBatches(map: MapNode | undefined, key: string): readonly (readonly MapNode[])[] {
  const node = findEntry(map, key)?.value;
  return node?.kind === "list" ? node.items.map(readBatch) : [];
}

/** Reads a batch. A message may be empty. */
function readBatch(node: DocumentNode): readonly MapNode[] {
  if (node.kind !== "list") return [];
  return node.items.map((item) =>
    item.kind === "map" ? item : { kind: "map", entries: [], span: item.span },
  );
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
