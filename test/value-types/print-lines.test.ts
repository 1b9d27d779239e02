import { test } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema } from "../../compiler/value-types/json-schema/json-schema.ts";
import { readJsonSchema } from "../../compiler/value-types/json-schema/read/read-schema.ts";
import { namedTypesIn, printTypeLines } from "../../compiler/value-types/print-lines.ts";

const lines = (schema: JsonSchema, options: { width?: number; maximumLines?: number } = {}) =>
  printTypeLines(readJsonSchema(schema), options).join("\n");
const closed = (
  properties: Readonly<Record<string, JsonSchema>>,
): { readonly [keyword: string]: unknown } => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const point = closed({ x: { type: "integer" }, y: { type: "integer" } });

test("types that fit are printed on one line, others on several", () => {
  assert.is(lines(point), "{ x: integer, y: integer }");
  assert.is(lines(point, { width: 20 }), "{\n  x: integer,\n  y: integer,\n}");
  assert.is(
    lines(closed({ at: point, tags: { type: "array", items: point } }), { width: 34 }),
    "{\n  at: { x: integer, y: integer },\n  tags: {\n    x: integer,\n    y: integer,\n  }[],\n}",
  );
});

test("arrays of unions have parentheses, and alternatives their own lines", () => {
  const either = { anyOf: [point, { type: "string" }] };
  assert.is(
    lines({ type: "array", items: either }, { width: 20 }),
    "({\n  x: integer,\n  y: integer,\n}\n| string)[]",
  );
});

test("open objects print an ellipsis, and typed additional properties an index signature", () => {
  const open = { type: "object", properties: { "a b": { type: "string" } }, required: ["c"] };
  assert.is(lines(open, { width: 10 }), '{\n  "a b"?: string,\n  c: unknown,\n  …\n}');
  const others = { type: "object", properties: { a: {} }, additionalProperties: point };
  assert.is(
    lines(others, { width: 20 }),
    "{\n  a?: unknown,\n  [string]: {\n    x: integer,\n    y: integer,\n  },\n}",
  );
});

test("deep levels are omitted if there are too many lines, but never the first", () => {
  const wide = (of: JsonSchema) => ({
    ...closed(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, of]))),
  });
  const text = lines(wide(wide(point)), { maximumLines: 30 });
  assert.is(text.split("\n").length, 22);
  assert.match(text, "  f19: object,\n");
});

test("recursive types are named, and printed once under their name", () => {
  const node = { type: "object", properties: { next: { $ref: "#/$defs/Node" } } };
  const list = closed({ list: { $ref: "#/$defs/Node" } });
  const type = readJsonSchema({ ...list, $defs: { Node: node } });
  assert.equal(printTypeLines(type), ["{ list: Node }"]);
  assert.equal(
    namedTypesIn(type).map((named) => [named.name, ...printTypeLines(named)]),
    [["Node", "{ next?: Node, … }"]],
  );
});

test.run();
