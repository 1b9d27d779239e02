import fc from "fast-check";
import type { JsonSchema } from "../../compiler/value-types/json-schema/json-schema.ts";

type Schemas = { schema: JsonSchema; object: JsonSchema };

const names = ["a", "b", "c"];

const scalar: fc.Arbitrary<JsonSchema> = fc.constantFrom<JsonSchema>(
  true,
  false,
  { type: "string" },
  { type: ["string", "null"] },
  { type: "integer" },
  { type: "number" },
  { type: "boolean" },
  { enum: ["x", 1, null, 1] },
  { const: "y" },
  { type: "string", enum: ["x", "z", 1] },
  { const: { a: 1 } },
);

function objects(tie: fc.LetrecTypedTie<Schemas>): fc.Arbitrary<JsonSchema> {
  return fc
    .record(
      {
        properties: fc.dictionary(fc.constantFrom(...names), tie("schema"), { noNullPrototype: true }),
        required: fc.subarray(names),
        additionalProperties: tie("schema"),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map((schema) => ({ type: "object", ...schema }));
}

function combined(tie: fc.LetrecTypedTie<Schemas>, keyword: string): fc.Arbitrary<JsonSchema> {
  return fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((parts) => ({ [keyword]: parts }));
}

/** Schemas of which types say all: no `not`, `oneOf` or conditions, `type` beside what speaks of objects. */
export const typedSchema: fc.Arbitrary<JsonSchema> = fc.letrec<Schemas>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", maxDepth: 3, withCrossShrink: true },
    scalar,
    tie("object"),
    tie("schema").map((items) => ({ type: "array", items })),
    combined(tie, "allOf"),
    combined(tie, "anyOf"),
  ),
  object: objects(tie),
})).schema;

/** Schemas with much that types cannot say. What speaks of objects has a `type` around it. */
export const arbitrarySchema: fc.Arbitrary<JsonSchema> = fc.letrec<Schemas>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", maxDepth: 3, withCrossShrink: true },
    scalar,
    tie("object"),
    tie("schema").map((items) => ({ type: "array", items, minItems: 1 })),
    tie("schema").map((item) => ({ type: "array", prefixItems: [item], maxItems: 1 })),
    tie("schema").map((schema) => ({ not: schema })),
    combined(tie, "allOf"),
    combined(tie, "anyOf"),
    combined(tie, "oneOf"),
    fc.tuple(tie("schema"), tie("schema"), tie("object")).map(([condition, part, base]) => ({
      allOf: [base],
      if: condition,
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: part,
    })),
    fc.tuple(tie("object"), tie("object")).map((parts) => ({
      type: ["object", "null"],
      anyOf: parts,
      unevaluatedProperties: false,
    })),
    fc.tuple(tie("object"), tie("schema")).map(([object, schema]) => ({
      type: "object",
      allOf: [object, { required: ["b"] }],
      patternProperties: { "^[ab]$": schema },
      additionalProperties: schema,
    })),
    fc.tuple(tie("object"), tie("object")).map(([first, second]) => ({
      allOf: [first],
      dependentSchemas: { a: second },
      minProperties: 1,
    })),
  ),
  object: objects(tie),
})).schema;
