import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  reFindAll,
  reFindAllObject,
  reFindObject,
  reMatch,
  reReplaceAll,
} from "../../../runtime/mapping/regexp.ts";
import { encodeUtf8 } from "../../../runtime/text/utf8.ts";

test("an empty match directly after another match does not count", () => {
  assert.equal(reFindAll("baaac", "", "a*"), ["", "aaa", ""]);
  assert.is(reReplaceAll("baaac", "", "a*", "-"), "-b-c-");
  assert.equal(reFindAll("é😀", "", ""), ["", "", ""]);
});

test("groups are returned by name and number", () => {
  assert.equal(reFindObject("axxb", "", "a(?P<x>x)(x)?(y)?"), { "0": "axx", x: "x", "2": "x", "3": "" });
  assert.equal(reFindObject("none", "", "a(x)"), {});
  assert.equal(reFindAllObject("a1 b2", "", "(?P<k>[a-z])(?P<v>[0-9])"), [
    { "0": "a1", k: "a", v: "1" },
    { "0": "b2", k: "b", v: "2" },
  ]);
});

test("replacements name groups the way RE2 does", () => {
  assert.is(reReplaceAll("ab", "", "(a)(?P<n>b)", "$2${1}x$1x$n$$1$9$"), "baxb$1$");
  assert.is(reReplaceAll(Buffer.from("a"), "", "a", "b"), "b");
});

test("groups matched in bytes are bytes in objects", () => {
  assert.equal(reFindObject(Buffer.from("xa"), "", "(?P<n>a)"), { 0: encodeUtf8("a"), n: encodeUtf8("a") });
  assert.equal(reFindAllObject(Buffer.from("a"), "", "a"), [{ 0: encodeUtf8("a") }]);
  assert.equal(reFindAll(Buffer.from("a"), "", "a"), ["a"]);
});

test("patterns follow RE2, in linear time", () => {
  assert.ok(reMatch("A\n", "", "(?i)^a$|(?m)^a$"));
  assert.throws(() => reMatch("a", "field `this.x`", "(?=a)"), /^error parsing regexp/);
  assert.not(reMatch(`${"a".repeat(50_000)}!`, "", "^(a+)+$"));
});

test.run();
