// Random values that a schema of the served description accepts, and some that it does not.

import fc from "fast-check";

/** A schema of the description, limited to the keywords that the portal's schemas use. */
export interface DescribedSchema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly required?: readonly string[];
  readonly readOnly?: boolean;
  readonly additionalProperties?: boolean | DescribedSchema;
  readonly items?: DescribedSchema;
  readonly oneOf?: readonly DescribedSchema[];
  readonly anyOf?: readonly DescribedSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

/** Returns the texts for a field with this name. */
export type TextOf = (field: string) => fc.Arbitrary<string>;

export interface ValueOptions {
  readonly resolve: (reference: string) => DescribedSchema;
  readonly textOf: TextOf;
}

/** Generates values that fit `schema`. `field` is the name of the value's field. */
export function fittingValue(
  schema: DescribedSchema,
  options: ValueOptions,
  field = "",
): fc.Arbitrary<unknown> {
  const { $ref: reference, enum: listed, oneOf, anyOf } = schema;
  if (reference !== undefined) return fittingValue(options.resolve(reference), options, field);
  if ("const" in schema) return fc.constant(schema.const);
  if (listed !== undefined) return fc.constantFrom(...listed);
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined && schema.type === undefined)
    return fc.oneof(...alternatives.map((each) => fittingValue(each, options, field)));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return fc.oneof(fc.jsonValue({ maxDepth: 2 }), options.textOf(field));
  return fc.oneof(...types.map((type) => ofType(type, schema, options, field)));
}

function ofType(
  type: string,
  schema: DescribedSchema,
  options: ValueOptions,
  field: string,
): fc.Arbitrary<unknown> {
  const { minimum: min = -1_000_000, maximum: max = 1_000_000_000 } = schema;
  switch (type) {
    case "string":
      return textFor(schema, options.textOf(field));
    case "integer":
      return fc.integer({ min: Math.ceil(min), max: Math.floor(max) });
    case "number":
      return fc.double({ min, max, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(fittingValue(schema.items ?? {}, options, field), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, 3),
      });
    default:
      return objectFor(schema, options);
  }
}

function textFor({ pattern, minLength = 0, maxLength }: DescribedSchema, text: fc.Arbitrary<string>) {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return text.map((each) => each.padEnd(minLength, "x").slice(0, maxLength));
}

function objectFor(schema: DescribedSchema, options: ValueOptions): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const known = fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, fittingValue(inner, options, name)]),
    ),
    { requiredKeys: [...required], noNullPrototype: true },
  );
  if (typeof additionalProperties !== "object") return known;
  const others = fc.dictionary(
    fc.oneof(options.textOf("key"), awkwardText),
    fittingValue(additionalProperties, options),
    { maxKeys: 3, noNullPrototype: true },
  );
  return fc.tuple(others, known).map(([more, own]) => ({ ...more, ...own }));
}

/** Texts that often cause bugs. */
export const awkwardText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "é\u0301",
    "'; drop table keys; --",
    "%",
    "_",
    "__proto__",
    "constructor",
    "../..",
    "a/b",
    "\r\nX: y",
    "-1",
    "true",
    "null",
  ),
  fc.string({ maxLength: 20, unit: "binary" }),
  fc.constant("x".repeat(3000)),
);

/** Generates a fitting body with one probable fault: a missing field, one of another type, or an unknown one. */
export function spoiltBody(
  schema: DescribedSchema,
  options: ValueOptions,
): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {} } = schema;
  const names = Object.keys(properties);
  return fc
    .tuple(
      objectFor(schema, options),
      fc.constantFrom(...names, "__proto__", "unknown"),
      fc.oneof(fc.jsonValue({ maxDepth: 3 }), awkwardText, fc.constant(undefined)),
    )
    .map(([body, name, value]) => {
      const kept = Object.entries(body).filter(([each]) => each !== name);
      return Object.fromEntries(value === undefined ? kept : [...kept, [name, value]]);
    });
}
