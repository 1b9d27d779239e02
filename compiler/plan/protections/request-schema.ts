// A schema of a document in, what JSON Schema 2020-12 makes of it in a request out.

import type { ApiModel } from "../../model/api.ts";
import type { DocumentNode } from "../../trees/document.ts";
import type { JsonSchema } from "../../value-types/json-schema/json-schema.ts";
import { selfContained } from "../self-contained-schema.ts";

type Keywords = Readonly<Record<string, unknown>>;

/** Keywords by what stands in them; the values of all others are data. */
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
/** Keywords whose values are data or references; `nullable` is one of OpenAPI 3.0 alone. */
const assertions: ReadonlySet<string> = new Set([
  ...["$dynamicRef", "$recursiveRef", "$ref", "const", "dependentRequired", "enum", "format", "nullable"],
  ...["exclusiveMaximum", "exclusiveMinimum", "maxContains", "maxItems", "maxLength", "maxProperties"],
  ...["maximum", "minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf"],
  ...["pattern", "required", "type", "uniqueItems"],
]);

/** The schema at `node`, which stands for itself. */
export function requestSchema(node: DocumentNode, api: ApiModel): JsonSchema & object {
  const whole = selfContained(node, api, Number.POSITIVE_INFINITY);
  return asKeywords(rewrite(whole, api.openapi === "3.0"));
}

function rewrite(schema: unknown, isOld: boolean): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const given: Keywords = { ...schema };
  // Beside a reference OpenAPI 3.0 has nothing; the definitions of the whole stand there only here.
  const own = isOld && "$ref" in given ? pick(given, ["$ref", "$defs"]) : given;
  const entries = Object.entries(own).flatMap(([key, value]): [string, unknown][] =>
    saysSomething(key, isOld) ? [[key, rewriteKeyword(key, value, isOld)]] : [],
  );
  return modernise(withRequired(Object.fromEntries(entries), own));
}

/**
 * Whether a keyword says something of values. All others stay away from the validator, to which some of them have a meaning of
 * their own: `$async` makes a promise of each verdict, and names such as `$id` are those of all schemas of the set.
 */
function saysSomething(key: string, isOld: boolean): boolean {
  if (key === "nullable") return isOld;
  return assertions.has(key) || schemas.has(key) || lists.has(key) || maps.has(key);
}

function rewriteKeyword(key: string, value: unknown, isOld: boolean): unknown {
  // Before draft 2020-12 `items` may be a list of one for each.
  if ((lists.has(key) || key === "items") && Array.isArray(value))
    return value.map((each) => rewrite(each, isOld));
  if (schemas.has(key)) return rewrite(value, isOld);
  if (!maps.has(key)) return value;
  return Object.fromEntries(
    Object.entries(asKeywords(value)).map(([name, each]) => [name, rewrite(each, isOld)]),
  );
}

/** What only answers carry is not asked of requests. */
function withRequired(schema: Keywords, { properties }: Keywords): Keywords {
  const { required, ...others } = schema;
  // A flag beside a property is how draft 3 said it; it is read nowhere any more.
  if (!Array.isArray(required)) return others;
  const own = asKeywords(properties);
  const isReadOnly = (name: unknown) => asKeywords(own[String(name)]).readOnly === true;
  return { ...schema, required: required.filter((name) => !isReadOnly(name)) };
}

/** What older drafts say in another way, which descriptions of OpenAPI 3.1 hold, too: nothing of it is to be open. */
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

/** `exclusiveMinimum: true` beside `minimum`, as draft 4 and OpenAPI 3.0 have it. */
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

function asKeywords(value: unknown): Keywords {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
