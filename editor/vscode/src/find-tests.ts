// Finds the unit tests in a document: `sluice test` runs them, and the editor shows their positions.

import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

/** A test of a document. */
export interface FoundTest {
  readonly name: string;
  /** First and last line, counted from 1. */
  readonly line: number;
  readonly endLine: number;
}

/** Returns the tests of a document in the order written; none if it cannot be read. */
export function findUnitTests(text: string): readonly FoundTest[] {
  if (!/^["']?(?:x-)?tests["']?[ \t]*:/m.test(text)) return [];
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines, logLevel: "silent", merge: true });
  if (!isMap(contents)) return [];
  const tests = contents.get("tests", true) ?? contents.get("x-tests", true);
  if (!isSeq(tests)) return [];
  return tests.items.flatMap((item, index) => {
    if (!isMap(item) || !item.range) return [];
    const name = item.get("name", true);
    const [start, end] = item.range;
    return [
      {
        name: isScalar(name) && name.value !== "" ? String(name.value) : `test ${index + 1}`,
        line: lines.linePos(start).line,
        endLine: lines.linePos(Math.max(start, end - 1)).line,
      },
    ];
  });
}

/** The result of a test in the output of `sluice test --format json`. */
export interface TestOutcome {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly seconds: number;
  readonly passed: boolean;
  readonly failures: readonly string[];
}

/** Parses the output of `sluice test --format json`. Throws if it is anything else. */
export function readOutcomes(printed: string): readonly TestOutcome[] {
  const outcomes: unknown = JSON.parse(printed);
  if (!Array.isArray(outcomes)) throw new Error("sluice test printed no list of results");
  return outcomes;
}
