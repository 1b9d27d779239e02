import { test } from "uvu";
import * as assert from "uvu/assert";
import { explainMismatch } from "../../compiler/value-types/assignable.ts";
import { fieldOf } from "../../compiler/value-types/fields.ts";
import { intersect } from "../../compiler/value-types/intersect.ts";
import type { JsonSchema } from "../../compiler/value-types/json-schema/json-schema.ts";
import { readJsonSchema } from "../../compiler/value-types/json-schema/read/read-schema.ts";
import { writeJsonSchema } from "../../compiler/value-types/json-schema/write/write-schema.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { sameType } from "../../compiler/value-types/union.ts";

const node = { type: "object", properties: { next: { $ref: "#/$defs/Node" } }, required: ["next"] };
const cat = { type: "object", properties: { kind: { type: "string" }, lives: { type: "integer" } } };
const dog = { type: "object", properties: { kind: { type: "string" }, name: { type: "string" } } };

/** The expected type of each schema. */
const rows: readonly (readonly [what: string, schema: JsonSchema, shown: string])[] = [
  ["anything", true, "unknown"],
  ["nothing", false, "never"],
  ["no keywords", {}, "unknown"],
  ["a name", { type: "string" }, "string"],
  ["several names", { type: ["string", "null"] }, "string | null"],
  ["a name that is none", { type: "file" }, "unknown"],
  ["formats are still texts", { type: "string", format: "date-time" }, "string"],
  ["contents are still texts", { type: "string", contentEncoding: "base64" }, "string"],
  ["integers of a size", { type: "integer", format: "int64" }, "integer"],
  ["all numbers", { type: "number", exclusiveMinimum: true, minimum: 0 }, "number"],
  ["an enum", { enum: ["a", "b"] }, '"a" | "b"'],
  ["an enum with null", { enum: ["a", null] }, '"a" | null'],
  ["an enum and a name that narrow each other", { type: "integer", enum: [1, "a", 2] }, "1 | 2"],
  ["a constant", { const: { a: 1 } }, "{ a: 1 }"],
  ["a name that an enum contradicts", { type: "string", enum: [1] }, "never"],
  ["null as OpenAPI 3.0 allows it", { type: "string", nullable: true }, "string | null"],
  ["null beside an enum", { type: "string", enum: ["a"], nullable: true }, '"a" | null'],
  ["null not allowed", { type: "string", nullable: false }, "string"],
  ["an object that is open", { type: "object", properties: { a: { type: "string" } } }, "{ a?: string, … }"],
  [
    "fields that must be there",
    { type: "object", required: ["a"], properties: { a: {} } },
    "{ a: unknown, … }",
  ],
  ["a required field nobody declares", { type: "object", required: ["a"] }, "{ a: unknown, … }"],
  ["an object that is closed", { type: "object", additionalProperties: false }, "{}"],
  [
    "an object as a map",
    { type: "object", additionalProperties: { type: "integer" } },
    "{ [string]: integer }",
  ],
  [
    "fields by pattern",
    { type: "object", patternProperties: { "^x-": { type: "string" } }, additionalProperties: false },
    "{ [string]: string }",
  ],
  [
    "fields that cannot be there",
    { type: "object", properties: { a: false, b: true } },
    "{ b?: unknown, … }",
  ],
  ["a required field that cannot be", { type: "object", properties: { a: false }, required: ["a"] }, "never"],
  ["properties alone mean an object", { properties: { a: { type: "string" } } }, "{ a?: string, … }"],
  ["items alone mean an array", { items: { type: "string" } }, "string[]"],
  ["properties beside a wider type", { type: ["object", "null"], properties: {} }, "object | null"],
  [
    "the meaning of alternatives",
    { oneOf: [{ type: "null" }, { properties: { a: {} } }] },
    "null | { a?: unknown, … }",
  ],
  ["arrays", { type: "array", items: { type: ["string", "null"] } }, "(string | null)[]"],
  ["arrays of anything", { type: "array" }, "unknown[]"],
  [
    "places of an array",
    { type: "array", prefixItems: [{ type: "string" }, { type: "null" }], items: false },
    "(string | null)[]",
  ],
  [
    "places of older drafts",
    { type: "array", items: [{ type: "string" }], additionalItems: false },
    "string[]",
  ],
  ["arrays without elements", { type: "array", items: { type: "string" }, maxItems: 0 }, "[]"],
  [
    "all of several",
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } } },
        { required: ["a"], properties: { b: { type: "null" } } },
      ],
    },
    "{ a: string, b?: null, … }",
  ],
  ["all of what excludes itself", { allOf: [{ type: "string" }, { type: "number" }] }, "never"],
  [
    "fields that narrow each other",
    {
      allOf: [
        { type: "object", properties: { a: { type: ["string", "null"] } } },
        { properties: { a: { type: "string" } } },
      ],
    },
    "{ a?: string, … }",
  ],
  [
    "a closed object beside a field it has not",
    { allOf: [{ type: "object", additionalProperties: false }, { required: ["a"] }] },
    "never",
  ],
  [
    "what nobody evaluated",
    {
      allOf: [{ type: "object", properties: { a: { type: "string" } } }],
      properties: { b: {} },
      unevaluatedProperties: false,
    },
    "{ b?: unknown, a?: string }",
  ],
  [
    "what patterns evaluated",
    { type: "object", patternProperties: { "^x": {} }, unevaluatedProperties: false },
    "object",
  ],
  ["one of several", { oneOf: [{ type: "string" }, { type: "integer" }] }, "string | integer"],
  [
    "a common part of alternatives",
    { type: "object", properties: { a: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    "{ a: unknown, … } | { a?: unknown, b: unknown, … }",
  ],
  ["negations", { not: { type: "string" } }, "unknown"],
  [
    "fields under conditions",
    {
      type: "object",
      if: { properties: { a: { const: 1 } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { properties: { b: { type: "string" } } },
    },
    "{ a?: unknown, b?: unknown, … }",
  ],
  [
    "fields that come with others",
    { type: "object", dependentSchemas: { a: { properties: { b: {} } } } },
    "{ b?: unknown, … }",
  ],
  ["a reference", { $ref: "#/$defs/A", $defs: { A: { type: "string" } } }, "string"],
  [
    "what stands beside a reference",
    { $ref: "#/$defs/A", nullable: true, $defs: { A: { type: "string" } } },
    "string | null",
  ],
  [
    "a reference with escapes",
    { $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": { type: "string" } } },
    "string",
  ],
  ["an anchor", { $ref: "#here", $defs: { A: { $anchor: "here", type: "string" } } }, "string"],
  [
    "a dynamic anchor",
    { $dynamicRef: "#here", $defs: { A: { $dynamicAnchor: "here", type: "string" } } },
    "string",
  ],
  [
    "a dynamic anchor that depends on the way",
    {
      $dynamicRef: "#here",
      $defs: { A: { $dynamicAnchor: "here", type: "string" }, B: { $id: "b", $dynamicAnchor: "here" } },
    },
    "unknown",
  ],
  [
    "a reference within an embedded schema",
    { $ref: "b", $defs: { B: { $id: "b", $ref: "#/$defs/C", $defs: { C: { type: "null" } } } } },
    "null",
  ],
  ["a reference to nowhere", { $ref: "#/$defs/B" }, "unknown"],
  ["a reference to elsewhere", { $ref: "other.json" }, "unknown"],
  ["a reference that is malformed", { $ref: "#%" }, "unknown"],
  ["a schema inside itself", { $ref: "#/$defs/Node", $defs: { Node: node } }, "{ next: Node, … }"],
  ["a schema that is only itself", { $ref: "#" }, "unknown"],
  ["all of itself", { allOf: [{ $ref: "#" }, { type: "string" }] }, "string"],
  [
    "alternatives inside themselves",
    {
      $ref: "#/$defs/Json",
      $defs: { Json: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/Json" } }] } },
    },
    "string | Json[]",
  ],
  [
    "alternatives by a discriminator",
    {
      oneOf: [{ $ref: "#/$defs/Cat" }, { $ref: "#/$defs/Dog" }],
      discriminator: { propertyName: "kind", mapping: { cat: "#/$defs/Cat", dog: "Dog" } },
      $defs: { Cat: cat, Dog: dog },
    },
    '{ kind?: "cat" | "Cat", lives?: integer, … } | { kind?: "dog" | "Dog", name?: string, … }',
  ],
  [
    "a discriminator without a mapping",
    { oneOf: [{ $ref: "#/$defs/Cat" }], discriminator: { propertyName: "kind" }, $defs: { Cat: cat } },
    "{ kind?: string, lives?: integer, … }",
  ],
];

for (const [what, schema, shown] of rows) {
  test(`reads ${what}`, () => assert.is(printType(readJsonSchema(schema), { maximumLength: 100 }), shown));
}

test("fields of a recursive schema have the same type at every depth", () => {
  const root = readJsonSchema({ $ref: "#/$defs/Node", $defs: { Node: node } });
  const next = fieldOf(root, "next").type;
  assert.is(next, fieldOf(next, "next").type);
});

test("parts of a recursive schema may be narrowed", () => {
  const root = readJsonSchema({
    $ref: "#/$defs/Node",
    $defs: {
      Node: {
        type: "object",
        properties: {
          child: {
            allOf: [{ $ref: "#/$defs/Node" }, { properties: { id: { type: "string" } }, required: ["id"] }],
          },
        },
      },
    },
  });
  const child = fieldOf(root, "child").type;
  assert.is(printType(fieldOf(child, "id").type), "string | null");
  assert.is(printType(fieldOf(fieldOf(child, "child").type, "id").type), "string | null");
});

test("writes a recursive schema under its name", () => {
  const schema = { $ref: "#/$defs/Node", $defs: { Node: node } };
  assert.equal(writeJsonSchema(readJsonSchema(schema)), schema);
});

test("writes recursive alternatives under their name", () => {
  const json = { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/Json" } }] };
  const schema = { type: "array", items: { $ref: "#/$defs/Json" }, $defs: { Json: json } };
  assert.equal(writeJsonSchema(readJsonSchema(schema)), schema);
});

/** Returns a schema in which each level contains the next one twice; expanded, it would contain `last` 2^40 times. */
function manyLevels(last: JsonSchema): JsonSchema {
  const levels = Array.from({ length: 40 }, (_, level) => {
    const next = { $ref: `#/$defs/L${level + 1}` };
    return [`L${level}`, { type: "object", properties: { left: next, right: next } }] as const;
  });
  return { $ref: "#/$defs/L0", $defs: { ...Object.fromEntries(levels), L40: last } };
}

test("parts that are shared over many levels stay shared", () => {
  const type = readJsonSchema(manyLevels({ type: "string" }));
  const other = readJsonSchema(manyLevels({ type: "integer" }));
  assert.ok(JSON.stringify(writeJsonSchema(type)).length < 10_000);
  assert.ok(sameType(readJsonSchema(writeJsonSchema(type)), type));
  assert.not(sameType(type, other));
  assert.is(explainMismatch(type, other).length, 100);
  assert.equal(
    explainMismatch(intersect(type, readJsonSchema(manyLevels({ type: ["string", "null"] }))), type),
    [],
  );
  assert.ok(printType(type).length <= 80);
});

test("chains of thousands of references are read and written", () => {
  const schemas = Array.from({ length: 5000 }, (_, index) => {
    const next = index === 4999 ? { type: "integer" } : { $ref: `#/$defs/S${index + 1}` };
    return [`S${index}`, { type: "object", properties: { next } }] as const;
  });
  const type = readJsonSchema({ $ref: "#/$defs/S0", $defs: Object.fromEntries(schemas) });
  let at = type;
  for (let depth = 0; depth < 5000; depth++) at = fieldOf(at, "next").type;
  assert.equal(printType(at), "integer | null");
  assert.ok(Object.keys(Object(writeJsonSchema(type)).$defs).length <= 64);
});

test("writes timestamps and bytes as strings, and deleted and nothing as false", () => {
  const of = (kind: "Bytes" | "Timestamp" | "Deleted" | "Nothing") => writeJsonSchema({ kind });
  assert.equal(of("Timestamp"), { type: "string", format: "date-time" });
  assert.equal(of("Bytes"), { type: "string", contentEncoding: "base64" });
  assert.equal([of("Deleted"), of("Nothing")], [false, false]);
});

test("writes integers beyond double precision without their value", () => {
  assert.equal(writeJsonSchema({ kind: "Integer", value: 2n ** 63n - 1n }), { type: "integer" });
  assert.equal(writeJsonSchema({ kind: "Integer", value: 7n }), { const: 7 });
});

test.run();
