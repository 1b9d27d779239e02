import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";

// JSON Schema 2020-12 and OpenAPI's dialects in, AsyncAPI's own out, which is that of draft 07. Tools that read AsyncAPI
// need not know another one.
type Keywords = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const places: Readonly<Record<string, "schema" | "list" | "map">> = {
  ...keyed("schema", ["additionalItems", "additionalProperties", "contains", "else", "if", "items", "not"]),
  ...keyed("schema", ["propertyNames", "then"]),
  ...keyed("list", ["allOf", "anyOf", "oneOf"]),
  ...keyed("map", ["patternProperties", "properties"]),
};

/** Keywords that draft 07 lacks, or that mean something else there, and that nothing else says. */
const dropped: ReadonlySet<string> = new Set(
  `$anchor $comment $defs $dynamicAnchor $dynamicRef $id $schema $vocabulary contentSchema dependentRequired
  dependentSchemas discriminator example maxContains minContains nullable prefixItems unevaluatedItems
  unevaluatedProperties xml`.split(/\s+/),
);

/** `rename` gives the reference to write for one that stands in the schema. */
export function toSchemaObject(schema: JsonSchema, rename: (reference: string) => string): JsonSchema {
  return typeof schema === "boolean" ? schema : convert(schema, rename);
}

function convert(schema: Keywords, rename: (reference: string) => string): Keywords {
  const { $ref: reference, ...beside } = schema;
  const inside = (value: unknown) => (isObject(value) ? convert(value, rename) : value);
  const kept = Object.entries(beside).flatMap(([keyword, value]) =>
    dropped.has(keyword) ? [] : [[keyword, convertAt(places[keyword], value, inside)] as const],
  );
  const own: Keywords = {
    ...Object.fromEntries(kept),
    ...tupleOf(beside, inside),
    ...dependenciesOf(beside, inside),
    ...exampleOf(beside),
  };
  const whole = withNull(own, beside.nullable === true);
  if (typeof reference !== "string") return whole;
  const target = { $ref: rename(reference) };
  // Draft 07 reads nothing that stands beside a reference.
  return Object.keys(whole).length === 0 ? target : { ...whole, allOf: [target, ...listOf(whole.allOf)] };
}

function convertAt(
  place: "schema" | "list" | "map" | undefined,
  value: unknown,
  inside: (value: unknown) => unknown,
): unknown {
  if (place === "map" && isObject(value)) return mapValues(value, inside);
  if (place === undefined) return value;
  return Array.isArray(value) ? value.map(inside) : inside(value);
}

/** `prefixItems` was a list of `items`, and `items` beside it `additionalItems`. */
function tupleOf({ prefixItems, items }: Keywords, inside: (value: unknown) => unknown): Keywords {
  if (!Array.isArray(prefixItems)) return {};
  const rest = items === undefined ? {} : { additionalItems: inside(items) };
  return { items: prefixItems.map(inside), ...rest };
}

function dependenciesOf(
  { dependentRequired, dependentSchemas }: Keywords,
  inside: (value: unknown) => unknown,
): Keywords {
  if (!isObject(dependentRequired) && !isObject(dependentSchemas)) return {};
  const schemas = isObject(dependentSchemas) ? mapValues(dependentSchemas, inside) : {};
  const names = isObject(dependentRequired) ? dependentRequired : {};
  // A name with both: draft 07 has one entry for it.
  const joined = Object.keys(names)
    .filter((name) => Object.hasOwn(schemas, name))
    .map((name) => [name, { allOf: [schemas[name], { required: names[name] }] }] as const);
  return { dependencies: { ...names, ...schemas, ...Object.fromEntries(joined) } };
}

/** OpenAPI 3.0 has one example, JSON Schema a list. */
function exampleOf({ example, examples }: Keywords): Keywords {
  return example === undefined || examples !== undefined ? {} : { examples: [example] };
}

/** OpenAPI 3.0 says `nullable` beside a type. */
function withNull(schema: Keywords, isNullable: boolean): Keywords {
  if (!isNullable || schema.type === undefined) return schema;
  const types = [...new Set([...listOf(schema.type), "null"])];
  const { enum: values } = schema;
  const known = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...schema, ...known, type: types };
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function mapValues(values: Keywords, change: (value: unknown) => unknown): Keywords {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

function isObject(value: unknown): value is Keywords {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function keyed<T>(value: T, keys: readonly string[]): Readonly<Record<string, T>> {
  return Object.fromEntries(keys.map((key) => [key, value]));
}
