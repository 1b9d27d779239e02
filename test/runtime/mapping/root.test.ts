import { test } from "uvu";
import * as assert from "uvu/assert";
import { setKey, withoutField } from "../../../runtime/mapping/root.ts";

test("a field is omitted from a copy, and prototype keys stay own properties", () => {
  const root = { a: 1, constructor: 2, b: 3 };
  setKey(root, "__proto__", { admin: true });
  const rest = withoutField(root, "a");
  assert.equal(Object.keys(rest), ["constructor", "b", "__proto__"]);
  assert.is(Object.getPrototypeOf(rest), Object.prototype);
  assert.is("admin" in rest, false);
  assert.equal(Object.keys(withoutField(rest, "__proto__")), ["constructor", "b"]);
  assert.equal(Object.keys(root), ["a", "constructor", "b", "__proto__"]);
});

test("omitting a missing field returns the object unchanged", () => {
  const root = { a: 1 };
  assert.is(withoutField(root, "toString"), root);
});

test.run();
