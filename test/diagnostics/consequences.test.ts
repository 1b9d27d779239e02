// What follows from another mistake is not reported, but nothing that stops a build gives way to what does not.

import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Diagnostic, Severity } from "../../compiler/diagnostics/diagnostic.ts";
import { withoutConsequences } from "../../compiler/diagnostics/levels.ts";
import { createSourceFile, spanOf } from "../../compiler/source/source.ts";

const file = createSourceFile("api.yaml", "security: none\nlabel: seen\ncache: seen\n");
const other = createSourceFile("other.yaml", "security: none\n");

function found(code: string, severity: Severity, start: number, end: number, source = file): Diagnostic {
  return { code, severity, message: code, span: spanOf(source, start, end) };
}

function left(...all: readonly Diagnostic[]): readonly string[] {
  return withoutConsequences(all).map(({ code }) => code);
}

test("a consequent error is omitted next to an error of the same file, but not next to a lowered one", () => {
  const consequence = found("GW4205", "error", 0, 8);
  assert.equal(left(found("GW1046", "error", 10, 14), consequence), ["GW1046"]);
  assert.equal(left(found("GW1046", "warning", 10, 14), consequence), ["GW1046", "GW4205"]);
  assert.equal(left(found("GW1046", "error", 10, 14, other), consequence), ["GW1046", "GW4205"]);
});

test("an unused cache is not reported next to an unread part, unless the part is its name", () => {
  const unread = found("GW4010", "error", 0, 8);
  assert.equal(left(unread, found("GW4146", "warning", 22, 26)), ["GW4010"]);
  assert.equal(left(unread, found("GW4146", "warning", 0, 5)), ["GW4010", "GW4146"]);
});

test("at the same place, only overlapping diagnostics are consequences", () => {
  assert.equal(left(found("GW4013", "error", 10, 14), found("GW4051", "warning", 9, 14)), ["GW4013"]);
  assert.equal(left(found("GW4013", "error", 10, 14), found("GW4051", "warning", 0, 8)), [
    "GW4013",
    "GW4051",
  ]);
});

test("a long cause reaches what is behind shorter ones", () => {
  const causes = [found("GW4013", "error", 0, 30), found("GW4013", "error", 10, 14)];
  assert.equal(left(...causes, found("GW4051", "warning", 20, 24)), ["GW4013", "GW4013"]);
  assert.equal(left(...causes, found("GW4051", "warning", 31, 35)), ["GW4013", "GW4013", "GW4051"]);
});

test("a cause reaches its own line of a script", () => {
  const cause = found("GW3102", "error", 15, 20);
  assert.equal(left(cause, found("GW3200", "warning", 22, 26)), ["GW3102"]);
  assert.equal(left(cause, found("GW3200", "warning", 28, 32)), ["GW3102", "GW3200"]);
});

test("tens of thousands of mistakes are not compared pairwise", () => {
  const all = Array.from({ length: 40_000 }, (_, index) =>
    index % 2 === 0 ? found("GW4013", "error", 10, 14) : found("GW4051", "warning", 0, 8),
  );
  assert.equal(left(...all).length, 40_000);
});

test.run();
