// Writes schemas of requests in the form that the validator reads: self-contained, in draft 2020-12, without read-only
// properties, and with keywords that compare numbers by their digits.

import type { ApiModel } from "../../model/api.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { findSchemaTarget, isOnlyReference } from "../../trees/schema-targets.ts";
import type { JsonSchema } from "../../value-types/json-schema/json-schema.ts";
import { selfContained } from "../self-contained-schema.ts";

type Keywords = Readonly<Record<string, unknown>>;

/** Keywords whose values are schemas. */
const schemas: ReadonlySet<string> = new Set([
  ...[
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
  ],
  ...["unevaluatedItems", "unevaluatedProperties"],
]);

const lists: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

const maps: ReadonlySet<string> = new Set([
  ...["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"],
]);

/** Keywords whose values are data or references; `nullable` exists in OpenAPI 3.0 only. */
const assertions: ReadonlySet<string> = new Set([
  ...["$dynamicRef", "$recursiveRef", "$ref", "const", "dependentRequired", "enum", "format", "nullable"],
  ...["exclusiveMaximum", "exclusiveMinimum", "maxContains", "maxItems", "maxLength", "maxProperties"],
  ...["maximum", "minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf"],
  ...["pattern", "required", "type", "uniqueItems"],
]);

/** A schema that accepts every value. */
const whatever: JsonSchema & object = {};

/** The schema that others are part of, and their dialect. */
interface Whole {
  readonly root: JsonSchema;
  readonly isOld: boolean;
  /** The properties of a schema that the present one is combined with by `allOf`. */
  readonly around?: Keywords;
  /** Schemas with `unevaluatedItems` or `unevaluatedProperties`, which become definitions: see `apart`. */
  readonly apart: Record<string, unknown>;
}

/** Returns the schema at `node`, self-contained. */
export function requestSchema(node: DocumentNode, api: ApiModel): JsonSchema & object {
  const at = (isOnlyReference(node) && findSchemaTarget(node, api.references)) || node;
  const root = selfContained(at, api, Number.POSITIVE_INFINITY, ({ value }) => value);
  if (typeof root === "boolean") return root ? whatever : { not: whatever };
  const whole = { root, isOld: api.openapi === "3.0", apart: {} };
  const rewritten = rewriteKeywords(root, whole);
  if (Object.keys(whole.apart).length === 0) return rewritten;
  return { ...rewritten, $defs: { ...asKeywords(rewritten.$defs), ...whole.apart } };
}

function rewrite(schema: unknown, whole: Whole): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  return apart(rewriteKeywords({ ...schema }, whole), whole);
}

/**
 * Makes a schema a definition if it judges what others have left unevaluated. Within a loop over a list, ajv takes what it
 * has found in one item for that of the next, but each call of a definition begins without.
 */
function apart(schema: Keywords, { apart: definitions }: Whole): Keywords {
  if (!("unevaluatedItems" in schema || "unevaluatedProperties" in schema)) return schema;
  // No other definition has a hyphen in its name.
  const name = `unevaluated-${Object.keys(definitions).length + 1}`;
  definitions[name] = schema;
  return { $ref: `#/$defs/${name}` };
}

function rewriteKeywords(given: Keywords, { around = {}, ...whole }: Whole): Keywords {
  // OpenAPI 3.0 ignores keywords next to a reference; `$defs` is there only because the schema is self-contained.
  const own = whole.isOld && "$ref" in given ? pick(given, ["$ref", "$defs"]) : given;
  const properties = {
    ...around,
    ...("required" in own || "allOf" in own ? propertiesOf(own, whole.root) : {}),
  };
  const entries = Object.entries(own).flatMap(([key, value]): [string, unknown][] => {
    if (!saysSomething(key, whole.isOld)) return [];
    return [[key, rewriteKeyword(key, value, key === "allOf" ? { ...whole, around: properties } : whole)]];
  });
  const required = withRequired(Object.fromEntries(entries), properties, whole.root);
  return withNumbers(withInt64(withChoice(withNames(modernise(required)))));
}

/**
 * Whether a keyword constrains values. All others are kept from the validator, which gives some of them a meaning of
 * its own: `$async` makes each result a promise, and names such as `$id` are shared by all schemas of the set.
 */
function saysSomething(key: string, isOld: boolean): boolean {
  if (key === "nullable") return isOld;
  return assertions.has(key) || schemas.has(key) || lists.has(key) || maps.has(key);
}

function rewriteKeyword(key: string, value: unknown, whole: Whole): unknown {
  // Before draft 2020-12, `items` may be a list with one schema per item.
  if ((lists.has(key) || key === "items") && Array.isArray(value))
    return value.map((each) => rewrite(each, whole));
  if (schemas.has(key)) return rewrite(value, whole);
  if (!maps.has(key)) return value;
  return Object.fromEntries(
    Object.entries(asKeywords(value)).map(([name, each]) => [name, rewrite(each, whole)]),
  );
}

/** Removes read-only properties, which only responses contain, from the required properties of requests. */
function withRequired(schema: Keywords, properties: Keywords, root: JsonSchema): Keywords {
  const { required, ...others } = schema;
  // Draft 3 has a flag next to each property instead; it is no longer supported.
  if (!Array.isArray(required)) return others;
  const own = new Map(Object.entries(properties));
  return { ...schema, required: required.filter((name) => !isReadOnly(own.get(String(name)), root)) };
}

/** Whether a property has `readOnly`, also through `$ref` or `allOf`. */
function isReadOnly(schema: unknown, root: JsonSchema, depth = 0): boolean {
  if (asKeywords(schema).readOnly === true) return true;
  return depth <= 10 && partsOf(schema, root).some((part) => isReadOnly(part, root, depth + 1));
}

/** Writes names of properties that ajv skips in another way, which it does not. */
export function withNames(schema: Keywords): Keywords {
  const { properties, patternProperties, ...others } = schema;
  const named = Object.entries(asKeywords(properties));
  const patterns = Object.entries(asKeywords(patternProperties));
  if (![...named, ...patterns].some(isSkipped)) return schema;
  return {
    ...others,
    properties: Object.fromEntries(named.filter((entry) => !isSkipped(entry))),
    patternProperties: Object.fromEntries([
      ...named.filter(isSkipped).map(([name, each]) => [`^${name}$`, each]),
      ...patterns.map(([name, each]) => [isSkipped([name]) ? `(?:${name})` : name, each]),
    ]),
  };
}

function isSkipped([name]: readonly [string, ...unknown[]]): boolean {
  return name === "__proto__";
}

/** Writes the choice among no values, which ajv refuses, as a schema that no value fits. */
function withChoice(schema: Keywords): Keywords {
  const { enum: values, ...others } = schema;
  return Array.isArray(values) && values.length === 0 ? { ...others, not: whatever } : schema;
}

/** Writes the format `int64` as a keyword of its own: ajv accepts every integer. */
function withInt64(schema: Keywords): Keywords {
  const { format, ...others } = schema;
  return format === "int64" ? { ...others, int64: true } : schema;
}

/** Writes the numbers of limits as texts, which are exact, and those of `enum` and `const` once more in `numbers`. */
function withNumbers(schema: Keywords): Keywords {
  const entries = Object.entries(schema).map(([key, value]) => {
    if (limits.has(key) && isNumber(value)) return [key, String(value)];
    return [key, schemas.has(key) || lists.has(key) || maps.has(key) ? value : rounded(value)];
  });
  const { const: only, enum: choice } = schema;
  const numbers = [...(Array.isArray(choice) ? choice : []), only].filter(isNumber).map(String);
  return { ...Object.fromEntries(entries), ...(numbers.length > 0 && { numbers }) };
}

const limits: ReadonlySet<string> = new Set([
  ...["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"],
]);

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Returns the value with the numbers of JavaScript. */
function rounded(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rounded(each)]));
}

/** Converts keywords of older drafts, which descriptions of OpenAPI 3.1 may contain, too, so that no constraint is lost. */
function modernise(schema: Keywords): Keywords {
  const { nullable, ...others } = withFlag(withFlag(schema, "Minimum"), "Maximum");
  const { type, items, additionalItems: rest, ...more } = others;
  const named = type === null ? "null" : type;
  return {
    ...more,
    ...(named !== undefined && {
      type: nullable === true && typeof named === "string" ? [named, "null"] : named,
    }),
    ...(Array.isArray(items)
      ? { prefixItems: items, ...(rest !== undefined && { items: rest }) }
      : items !== undefined && { items }),
  };
}

/** Converts `exclusiveMinimum: true` next to `minimum`, the form of draft 4 and OpenAPI 3.0. */
function withFlag(schema: Keywords, limit: "Minimum" | "Maximum"): Keywords {
  const { [`exclusive${limit}`]: flag, ...others } = schema;
  if (typeof flag !== "boolean") return schema;
  if (!flag) return others;
  const { [limit.toLowerCase()]: bound, ...unlimited } = others;
  return bound === undefined ? others : { ...unlimited, [`exclusive${limit}`]: bound };
}

function pick(from: Keywords, keys: readonly string[]): Keywords {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
}

/** Returns the keywords of a schema; none if it is `true`, `false` or not a schema. */
export function asKeywords(value: unknown): Keywords {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Returns the properties of a schema and of those that it combines by `allOf` and `$ref`; `root` has the definitions. */
export function propertiesOf(schema: unknown, root: JsonSchema, depth = 0): Keywords {
  if (depth > 10) return {};
  const all = [
    ...partsOf(schema, root).map((part) => propertiesOf(part, root, depth + 1)),
    asKeywords(asKeywords(schema).properties),
  ];
  // Not `Object.assign`, which would take a property named `__proto__` for the prototype.
  return Object.fromEntries(all.flatMap(Object.entries));
}

/** Returns the schemas that a value must satisfy beside the schema's own keywords: those of `allOf` and `$ref`. */
export function partsOf(schema: unknown, root: JsonSchema): readonly unknown[] {
  const { $ref, allOf } = asKeywords(schema);
  return [...(Array.isArray(allOf) ? allOf : []), ...($ref === undefined ? [] : [follow($ref, root)])];
}

function follow(reference: unknown, root: JsonSchema): unknown {
  const name = typeof reference === "string" ? reference.replace("#/$defs/", "") : "";
  return asKeywords(asKeywords(root).$defs)[name];
}
