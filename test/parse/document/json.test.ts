import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { findNode, toJson } from "../../../compiler/trees/document.ts";
import { parse } from "./reading.ts";

test("any JSON has the value of JSON.parse", () => {
  const property = fc.property(fc.json(), (text) => {
    const { root, problems } = parse("a.json", text);
    const hasDuplicates = problems.some((problem) => problem.includes("GW1012"));
    if (hasDuplicates) return;
    assert.equal(problems, []);
    assert.ok(root);
    assert.is(JSON.stringify(toJson(root)), JSON.stringify(JSON.parse(text)));
  });
  fc.assert(property, { numRuns: 500, seed: 21 });
});

test("text keeps its position after every escape", () => {
  const unit = fc.constantFrom("a", "é", "😀", '"', "\\", "\n", "\t", "\u2028", "/", "\u0001");
  const property = fc.property(fc.string({ unit, maxLength: 12 }), fc.boolean(), (value, isAscii) => {
    const written = JSON.stringify({ k: value }, undefined, 1);
    const text = isAscii
      ? written.replace(/[^\x20-\x7e\n]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
      : written;
    const node = findNode(parse("a.json", text).root, "k");
    assert.ok(node?.kind === "scalar");
    assert.is(node.text.text, value);
    for (let index = 0; index < value.length; index++) {
      const there = text.slice(node.text.offsetInFile(index), node.text.endInFile(index));
      assert.is(JSON.parse(`"${there}"`), value.charAt(index));
    }
  });
  fc.assert(property, { numRuns: 500, seed: 22 });
});

test("JSON is detected by file extension, or else by its first character", () => {
  assert.match(parse("a.json", "a: 1\n").problems[0] ?? "", /GW1021/);
  assert.match(parse("a", "{ a: 1 }").problems[0] ?? "", /GW1021/);
  assert.equal(parse("a.yaml", "{ a: 1 }").problems, []);
});

test("integers that a double would round stay exact", () => {
  const node = findNode(parse("a.json", '{"a": 9007199254740993}').root, "a");
  assert.is(node?.kind === "scalar" && node.value, 9007199254740993n);
});

const mistakes: readonly (readonly [text: string, place: string, message: RegExp])[] = [
  ['{"a": 1,}', "1:8-9", /Trailing comma before a closing bracket/],
  ["[1, 2,]", "1:6-7", /Trailing comma before a closing bracket/],
  ['{"a": 1 "b": 2}', "1:9-12", /Missing comma between two entries/],
  ["[1 2]", "1:4-5", /Missing comma between two entries/],
  ['{"a" 1}', "1:6-7", /Missing colon after the key/],
  ['{"a": }', "1:7-8", /Missing value/],
  ["{a: 1}", "1:2-3", /Missing key in double quotes/],
  ["{'a': 1}", "1:2-5", /Missing key in double quotes/],
  ['{"a": yes}', "1:7-10", /Expected a JSON value/],
  ['{"a": "x\n}', "1:7-9", /is not closed/],
  ['{"a": "\\q"}', "1:7-11", /Unknown escape/],
  ['{"a": "\t"}', "1:7-10", /raw control character/],
  ['{"a": 01}', "1:8-9", /Missing comma between two entries/],
  ['{"a": 1', "1:1-2", /This bracket is not closed/],
  ["[1, [2]", "1:1-2", /This bracket is not closed/],
  ["{} {}", "1:4-5", /Unexpected text after the end/],
  ['{"a": 1 // one\n}', "1:9-15", /JSON has no comments/],
  ['/* one */ {"a": 1}', "1:1-10", /JSON has no comments/],
];

for (const [text, place, message] of mistakes) {
  test(`mistake: ${JSON.stringify(text)}`, () => {
    const { problems } = parse("a.json", text);
    assert.is(problems.length, 1);
    assert.match(problems[0] ?? "", new RegExp(`^a\\.json:${place} GW1021 `));
    assert.match(problems[0] ?? "", message);
  });
}

test("a duplicate key refers to the first one", () => {
  assert.match(
    parse("a.json", '{"a": 1, "a": 2}').problems[0] ?? "",
    /^a\.json:1:11-12 GW1012 .*\(a\.json:1:3-4/,
  );
});

test("a number out of range is reported", () => {
  assert.match(parse("a.json", "[1e999]").problems[0] ?? "", /^a\.json:1:2-7 GW1020/);
});

test("nesting is limited, and does not overflow the stack", () => {
  assert.match(parse("a.json", "[".repeat(100_000)).problems[0] ?? "", /^a\.json:1:201-202 GW1007/);
  assert.equal(parse("a.json", `${"[".repeat(200)}${"]".repeat(200)}`).problems, []);
});

test.run();
