import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  assignPath,
  deletePath,
  field,
  formatPath,
  getPath,
  parsePath,
  path,
  resolve,
  setPath,
} from "../../../runtime/mapping/paths.ts";
import { printJson } from "../../../runtime/message/json.ts";
import { deleted, nothing, type Value } from "../../../runtime/message/value.ts";

const hostile: Value = JSON.parse('{"__proto__":{"a":1},"length":2}');

test("only own properties are visible", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "length"]) {
    for (const value of [{}, [], "text", 5, null, Buffer.from("x")])
      assert.is(field(value, name), null, name);
  }
  assert.equal(field(hostile, "__proto__"), { a: 1 });
  assert.is(path(hostile, ["__proto__", "a"]), 1);
  assert.is(field(hostile, "length"), 2);
});

test("writing hostile keys stays within the value", () => {
  assert.is(printJson(setPath({}, ["__proto__", "polluted"], true)), '{"__proto__":{"polluted":true}}');
  assert.is(({} as Record<string, unknown>).polluted, undefined);
  assert.is(printJson(setPath(hostile, ["__proto__", "b"], 2)), '{"__proto__":{"a":1,"b":2},"length":2}');
  assert.is(printJson(deletePath(hostile, ["__proto__", "a"])), '{"__proto__":{},"length":2}');
  assert.is(printJson(deletePath(hostile, ["__proto__"])), '{"length":2}');
});

test("arrays are read by index and by wildcard", () => {
  const items: Value = { items: [{ id: 1 }, {}, { id: null }, 7] };
  assert.is(path(items, ["items", "0", "id"]), 1);
  assert.is(path(items, ["items", "-1"]), null);
  assert.is(path(items, ["items", "9"]), null);
  assert.equal(path(items, ["items", "*", "id"]), [1, null]);
  assert.is(path(items, ["items", "*", "other"]), null);
  assert.is(resolve(items, ["items", "2", "id"]), null);
  assert.is(resolve(items, ["items", "1", "id"]), undefined);
});

test("dot paths", () => {
  assert.equal(parsePath("a.b~1c.~0d"), ["a", "b.c", "~d"]);
  assert.is(formatPath(["a", "b.c", "~d"]), "a.b~1c.~0d");
  assert.is(getPath({ "a.b": { c: 1 } }, "a~1b.c"), 1);
});

test("setting never changes what was there", () => {
  const before: Value = Object.freeze({ a: Object.freeze([Object.freeze({ b: 1 })]) });
  assert.equal(setPath(before, ["a", "0", "c"], 2), { a: [{ b: 1, c: 2 }] });
  assert.equal(setPath(before, ["a", "-"], 3), { a: [{ b: 1 }, 3] });
  assert.equal(setPath(before, ["x", "y"], 4), { a: [{ b: 1 }], x: { y: 4 } });
  assert.equal(deletePath(before, ["a", "0"]), { a: [] });
  assert.equal(before, { a: [{ b: 1 }] });
  assert.equal(setPath(nothing, ["a"], 1), { a: 1 });
  assert.equal(setPath({ a: null }, ["a", "b"], 1), { a: { b: 1 } });
});

test("assignments of nothing, deleted and values", () => {
  assert.equal(assignPath({ a: 1 }, ["a"], nothing), { a: 1 });
  assert.equal(assignPath({ a: 1 }, ["a"], deleted), {});
  assert.equal(assignPath(nothing, ["a"], deleted), {});
  assert.is(assignPath({ a: 1 }, [], 5), 5);
  assert.equal(deletePath({ a: 1 }, ["x", "y"]), { a: 1 });
});

test("errors use the reference's texts", () => {
  const root: Value = { a: "x", list: [1] };
  const cannot = (at: string[], text: string) =>
    assert.throws(
      () => setPath(root, at, 1),
      (error: Error) => error.message === text,
    );
  cannot(["a", "b"], "unable to set target path a.b as the value of a was a non-object type (string)");
  cannot(
    ["list", "0", "b"],
    "unable to set target path list.0.b as the value of list.0 was a non-object type (number)",
  );
  cannot(
    ["list", "5"],
    "unable to set target path list.5: failed to resolve path segment '1': found array but index '5' exceeded target array size of '1'",
  );
  assert.throws(
    () => setPath("text", ["foo"], 1),
    "unable to set target path foo as the value of the root was a non-object type (string)",
  );
  assert.throws(() => setPath(deleted, ["foo"], 1), "non-object type (delete)");
});

test.run();
