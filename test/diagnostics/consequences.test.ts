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

test("an error gives way to an error of its file, and to nothing that was lowered", () => {
  const consequence = found("GW4205", "error", 0, 8);
  assert.equal(left(found("GW1046", "error", 10, 14), consequence), ["GW1046"]);
  assert.equal(left(found("GW1046", "warning", 10, 14), consequence), ["GW1046", "GW4205"]);
  assert.equal(left(found("GW1046", "error", 10, 14, other), consequence), ["GW1046", "GW4205"]);
});

test("a cache is unused beside what could not be read, unless its name stands there", () => {
  const unread = found("GW4010", "error", 0, 8);
  assert.equal(left(unread, found("GW4146", "warning", 22, 26)), ["GW4010"]);
  assert.equal(left(unread, found("GW4146", "warning", 0, 5)), ["GW4010", "GW4146"]);
});

test("at one place, only what overlaps follows", () => {
  assert.equal(left(found("GW4013", "error", 10, 14), found("GW4051", "warning", 9, 14)), ["GW4013"]);
  assert.equal(left(found("GW4013", "error", 10, 14), found("GW4051", "warning", 0, 8)), [
    "GW4013",
    "GW4051",
  ]);
});

test.run();
