// Unit tests as the reference engine's format writes them: a document's `tests` in, the cases out.

import { locate } from "../../source/source.ts";
import { type DocumentNode, findEntry, findText, type MapEntry, type MapNode } from "../../trees/document.ts";
import { plainValue } from "./node-values.ts";

/** A case: what to run, on what, and what must come out. */
export interface UnitTest {
  readonly name: string;
  /** The case as it is written. */
  readonly node: DocumentNode;
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
}

/** The entry that holds a document's tests: `tests`, or `x-tests` where unknown keys are not welcome. */
export function findTests(root: DocumentNode): MapEntry | undefined {
  return findEntry(root, "tests") ?? findEntry(root, "x-tests");
}

/** The cases of a document, in the order written. */
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

/** Messages of which nothing is said may be written as nothing. */
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
