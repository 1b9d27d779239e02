import { test } from "uvu";
import * as assert from "uvu/assert";
import { diff, patch } from "../../../runtime/mapping/changes.ts";
import { stripHtml } from "../../../runtime/mapping/html.ts";
import { jsonPath } from "../../../runtime/mapping/json-path.ts";
import { jsonSchema } from "../../../runtime/mapping/json-schema.ts";
import { slug } from "../../../runtime/mapping/slug.ts";
import { SourceNumber, type Value } from "../../../runtime/message/value.ts";

const fault = (schema: object, value: Value) => {
  try {
    jsonSchema(undefined, value, "field `this`", JSON.stringify(schema));
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

test("schema errors name the location and the reason", () => {
  const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["Cc"] };
  assert.is(
    fault(schema, { a: "x" }),
    "field `this`: (root) Cc is required\na invalid type. expected: integer, given: string",
  );
  assert.is(fault({ minimum: 5, exclusiveMinimum: true }, 5), "field `this`: (root) must be greater than 5");
  assert.is(fault({ type: "integer" }, new SourceNumber("1.0")), "");
});

test("schema patterns run in bounded time", () => {
  assert.match(fault({ pattern: "^(a+)+$" }, `${"a".repeat(60)}!`), /does not match pattern/);
});

test("JSON paths return values unchanged, one or all", () => {
  const number = new SourceNumber("1.0");
  const value = { a: number, list: [{ a: 2 }] };
  assert.is(jsonPath(undefined, value, "", "$.a"), number);
  assert.equal(jsonPath(undefined, value, "", "$..a"), [number, 2]);
  assert.throws(() => jsonPath(undefined, value, "", "$.b"));
  assert.throws(() => jsonPath(undefined, value, "", "$["), /parsing error/);
});

test("applying a diff yields the other value", () => {
  const before = { a: [1, 2, 3], b: { c: 1 }, d: null, e: "x" };
  const after = { a: [1, 2, 4, 5], b: { c: 2 }, d: 5, f: { g: 1 } };
  assert.equal(patch(before, "", diff(before, "", after)), after);
  assert.equal(diff([1, 2], "", [2, 1]), []);
});

test("strip_html removes all but the preserved elements, and drops attributes and scripts", () => {
  const text = "<script>x</script><b class=y>1 & 2</b><br/><i>3</i>";
  assert.is(stripHtml(text, "", ["b", "br", "script"]), "<b>1 &amp; 2</b><br/>3");
});

test("slugs use the words of the language", () => {
  assert.is(slug("Über & Straße", "", "de"), "ueber-und-strasse");
  assert.is(slug("  __a--b__ ", "", "xx"), "a-b");
});

test.run();
