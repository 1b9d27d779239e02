import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../../runtime/errors.ts";
import { compileText, findFaults } from "../../../runtime/mapping/json-schema.ts";
import type { PlainJson } from "../../../runtime/mapping/plain-json.ts";
import { compileSchema } from "../../../runtime/mapping/schema-checks.ts";
import { faultsOf, meets } from "../../../runtime/mapping/schema-faults.ts";

/** Values of which some match and some do not match each of the schemas below. */
const values: readonly PlainJson[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 2, 3, 10, 1e20],
  ...["", "a", "abc", "𝒳𝒴", "2020-01-31", "2020-02-31", "a@b.de", "1.2.3.4", "P1D", "http://a/b"],
  ...[
    [],
    [1],
    [1, 1],
    [1, 2, 3],
    ["a", 1],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [[1], [1]],
  ],
  ...[{}, { a: 1 }, { a: "x" }, { a: 1, b: 2 }, { b: 2 }, { a: { a: { a: 1 } } }, { a: { a: "x" } }],
  ...[{ "x-1": 1 }, { "x-1": "a", a: 1 }, { a: null }, { a: [], b: {} }, { list: [1, { list: [] }] }],
];

const schemas: readonly PlainJson[] = [
  true,
  false,
  {},
  ...["null", "boolean", "integer", "number", "string", "array", "object"].map((type) => ({ type })),
  { type: ["integer", "null"] },
  { enum: [1, "a", { b: 2, a: 1 }, [1, 2, 3], null] },
  { const: { a: 1 } },
  { minimum: 1, maximum: 3 },
  { exclusiveMinimum: 1, exclusiveMaximum: 3 },
  { multipleOf: 0.5 },
  { minLength: 1, maxLength: 2 },
  { pattern: "^a.*c$" },
  ...["date", "email", "ipv4", "duration", "uri", "unheard-of", "int32"].map((format) => ({ format })),
  { not: { type: "string" } },
  { anyOf: [{ type: "string" }, { minimum: 2 }] },
  { oneOf: [{ type: "number" }, { minimum: 2 }] },
  { allOf: [{ type: "number" }, { minimum: 2 }] },
  JSON.parse('{"if":{"type":"number"},"then":{"minimum":2},"else":{"type":"string"}}'),
  { if: { type: "number" }, else: false },
  { items: { type: "integer" } },
  { items: [{ type: "integer" }, { type: "integer" }], additionalItems: { type: "string" } },
  { items: [{ type: "integer" }], additionalItems: false },
  { minItems: 1, maxItems: 2 },
  { uniqueItems: true },
  { contains: { const: 1 } },
  { minProperties: 1, maxProperties: 1 },
  { required: ["a"] },
  { propertyNames: { maxLength: 1 } },
  { properties: { a: { type: "integer" } }, additionalProperties: false },
  {
    properties: { a: true },
    patternProperties: { "^x-": { type: "string" } },
    additionalProperties: { type: "object" },
  },
  { dependencies: { a: ["b"] } },
  { dependencies: { a: { required: ["b"] } } },
  { properties: { a: { $ref: "#" } }, type: ["object", "integer"] },
  { definitions: { n: { type: "integer" } }, properties: { a: { $ref: "#/definitions/n" } } },
  { definitions: { "a/b%c": { type: "integer" } }, items: { $ref: "#/definitions/a~1b%25c" } },
  { definitions: { n: { $id: "#named", type: "integer" } }, items: { $ref: "#named" } },
  {
    $id: "http://example.com/root.json",
    definitions: {
      n: { $id: "other.json", definitions: { m: { type: "integer" } }, allOf: [{ $ref: "#/definitions/m" }] },
    },
    items: { $ref: "other.json" },
  },
  { enum: [{ $ref: "#/nowhere" }] },
];

const ajv = new Ajv({ strict: false, logger: false, validateSchema: false });
addFormats.default(ajv);

for (const schema of schemas) {
  test(`${JSON.stringify(schema).slice(0, 90)} validates as in Ajv`, () => {
    const expected = ajv.compile(typeof schema === "boolean" ? schema : { ...(schema as object) });
    const check = compileSchema(schema);
    for (const value of values) assert.is(meets(check, value), expected(value), JSON.stringify(value));
    ajv.removeSchema();
  });
}

test("draft 4: boolean flags exclude bounds, and `id` identifies", () => {
  const least = compileSchema({ minimum: 1, exclusiveMinimum: true });
  assert.equal(
    [1, 1.1].map((value) => meets(least, value)),
    [false, true],
  );
  const most = compileSchema({ maximum: 1, exclusiveMaximum: false });
  assert.equal(
    [1, 1.1].map((value) => meets(most, value)),
    [true, false],
  );
  const named = compileSchema({ definitions: { n: { id: "#n", type: "null" } }, $ref: "#n" });
  assert.equal(
    [null, 1].map((value) => meets(named, value)),
    [true, false],
  );
});

/** Returns the schema of a tree. Two alternatives describe its nodes, and each continues into the children. */
const alternatives = (keyword: "anyOf" | "oneOf" | "allOf"): PlainJson => ({
  definitions: {
    node: {
      [keyword]: [{ $ref: "#/definitions/leaf" }, { $ref: "#/definitions/branch" }],
    },
    leaf: { required: ["v"], properties: { v: { type: "integer" }, k: { $ref: "#/definitions/node" } } },
    branch: { properties: { k: { $ref: "#/definitions/node" }, v: { type: "integer" } } },
  },
  $ref: "#/definitions/node",
});

test("self-referencing alternatives validate each part of a value once", () => {
  const nested = (depth: number, innermost: PlainJson) => {
    let value = innermost;
    for (let level = 0; level < depth; level += 1) value = { v: 1, k: value };
    return value;
  };
  // If the check repeated parts, 60 levels would take longer than a lifetime.
  for (const keyword of ["anyOf", "oneOf", "allOf"] as const) {
    const check = compileSchema(alternatives(keyword));
    for (const depth of [0, 1, 2, 5, 60]) {
      assert.is(meets(check, nested(depth, { v: 1 })), keyword !== "oneOf", `${keyword} ${depth}`);
      assert.is(meets(check, nested(depth, { v: "x" })), false, `${keyword} ${depth}`);
    }
    assert.is(meets(check, nested(1, {})), keyword === "anyOf", keyword);
  }
});

test("the number of reported faults is limited", () => {
  const check = compileSchema({ items: { type: "string" } });
  assert.is(faultsOf(check, Array(50_000).fill(1), []).all.length, 1000);
});

test("inherited keys are not keys", () => {
  for (const key of ["toString", "__proto__", "constructor"]) {
    assert.not.ok(meets(compileSchema({ required: [key] }), {}));
    const strict = compileSchema({ additionalProperties: false });
    assert.not.ok(meets(strict, JSON.parse(`{"${key}":1}`)));
    assert.ok(meets(compileSchema(JSON.parse(`{"properties":{"${key}":{"type":"null"}}}`)), {}));
  }
});

test("invalid schemas and unresolved references are rejected at compile time", () => {
  const wrong: readonly PlainJson[] = [
    1,
    null,
    [],
    { not: 1 },
    { anyOf: {} },
    { properties: 1 },
    { pattern: 1 },
  ];
  const lost = ["#/nowhere", "#lost", "http://example.com/other.json"].map(($ref) => ({ items: { $ref } }));
  for (const schema of [...wrong, ...lost]) {
    assert.throws(
      () => compileSchema(schema),
      (error: unknown) => error instanceof MappingError,
    );
  }
  assert.throws(() => compileSchema({ pattern: "(" }));
});

test("unique items of lists in each other are read once", () => {
  const check = compileText('{"properties":{"a":{"uniqueItems":true,"items":{"$ref":"#"}}}}');
  const { stringify } = JSON;
  let printed = 0;
  JSON.stringify = (...given: unknown[]) => {
    printed += 1;
    return Reflect.apply(stringify, JSON, given);
  };
  try {
    let value: PlainJson = { a: Array.from({ length: 500 }, (_, index) => ({ b: index })) };
    for (let depth = 0; depth < 100; depth++) value = { a: [value] };
    assert.is(findFaults(check, value), undefined);
  } finally {
    JSON.stringify = stringify;
  }
  assert.ok(printed < 4 * 500, `printed ${printed} times`);
});

test.run();
