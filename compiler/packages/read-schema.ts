// Checks the schemas of a package's components, keyword by keyword, so that a fault is described with its path in the
// export. The validator's own errors name neither the path in the export nor what a keyword expects.

import { type Component, componentRoles } from "../../schemas/component.ts";
import { formats } from "../../schemas/formats/formats.ts";
import { resolveSchema } from "../../schemas/resolve.ts";
import type { annotations, Schema } from "../../schemas/schema.ts";
import { functionOf } from "../check/document/schema-functions.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { isRecord } from "../value-types/records.ts";
import { kindOf, messageOf } from "./package-files.ts";
import { refuse } from "./package-problem.ts";

/** What a keyword expects, in words that follow "expects", and whether a value is that. */
type Expectation = readonly [expected: string, fits: (value: unknown) => boolean];

/** Calls `fail` with the reason if the schema at `place` of the export is invalid; otherwise returns the schema. */
export function readSchema(value: unknown, place: string, fail: (reason: string) => never): Schema {
  let schema: Schema;
  try {
    schema = resolveSchema(value);
  } catch (error) {
    return fail(messageOf(error));
  }
  checkSchema(schema, place, fail);
  return schema;
}

/** Compiles the schema of a component, whose keywords were checked. */
export function compileSchema(name: string, { role, name: component, schema }: Component): void {
  try {
    functionOf(schema);
  } catch (error) {
    const called = `${role.replace("_", " ")} \`${component}\``;
    refuse("GW4404", { package: name, component: called, reason: messageOf(error) });
  }
}

function checkSchema(schema: unknown, place: string, fail: (reason: string) => never): void {
  if (typeof schema === "boolean") return;
  if (!isRecord(schema)) fail(`\`${place}\` expects a schema, got ${kindOf(schema)}.`);
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const at = `${place}${step(keyword)}`;
    const nested = subschemas.get(keyword);
    const [expected, fits] = expectations.get(keyword) ?? [];
    if (nested === undefined && fits === undefined) {
      const closest = suggest(keyword, [...subschemas.keys(), ...expectations.keys()]);
      const hint = closest === undefined ? "" : ` Did you mean \`${closest}\`?`;
      fail(`\`${at}\` is not a keyword of schemas.${hint}`);
    }
    if (fits?.(value) === false) fail(`\`${at}\` expects ${expected}, got ${kindOf(value)}.`);
    const needed = companions.get(keyword);
    if (needed?.every((each) => !Object.hasOwn(schema, each)))
      fail(`\`${at}\` has no effect without \`${needed.join("` or `")}\`.`);
    if (nested === "schema") checkSchema(value, at, fail);
    else if (nested === "list") checkList(value, at, fail);
    else if (nested !== undefined) checkMap(keyword, value, at, fail);
  }
}

function checkList(value: unknown, place: string, fail: (reason: string) => never): void {
  if (!Array.isArray(value) || value.length === 0)
    fail(`\`${place}\` expects a list of schemas, got ${kindOf(value)}.`);
  for (const [index, schema] of value.entries()) checkSchema(schema, `${place}[${index}]`, fail);
}

function checkMap(keyword: string, value: unknown, place: string, fail: (reason: string) => never): void {
  if (!isRecord(value)) fail(`\`${place}\` expects an object with schemas, got ${kindOf(value)}.`);
  for (const [name, schema] of Object.entries(value)) {
    if (keyword === "patternProperties" && !isPattern(name))
      fail(`\`${place}${step(name)}\` is not a regular expression.`);
    checkSchema(schema, `${place}${step(name)}`, fail);
  }
}

/** Returns the step of a path in an export that leads to a key. */
function step(key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** The expression is compiled as the validator does, with the flag for Unicode. */
function isPattern(value: unknown): boolean {
  if (!isText(value)) return false;
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    return false;
  }
}

function isListOf(value: unknown, fits: (each: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(fits);
}

function oneOf(...allowed: readonly unknown[]): Expectation {
  const words = allowed.map((each) => JSON.stringify(each)).join(", ");
  return [allowed.length === 1 ? words : `one of ${words}`, (value) => allowed.includes(value)];
}

function objectOf(what: string, fits: (each: unknown) => boolean): Expectation {
  return [`an object with ${what}`, (value) => isRecord(value) && Object.values(value).every(fits)];
}

const types: readonly unknown[] = ["null", "boolean", "integer", "number", "string", "array", "object"];
const metadataTypes: readonly unknown[] = ["string", "integer", "number", "boolean", "timestamp", "unknown"];
const unsafe = [
  ...["reads files", "writes files", "reads standard input", "writes standard output"],
  ...["runs commands", "opens a listener"],
];

const anything: Expectation = ["a value", () => true];
const text: Expectation = ["a text", isText];
const texts: Expectation = ["a list of texts", (value) => isListOf(value, isText)];
const differentTexts: Expectation = [
  "a list of different texts",
  (value) => isListOf(value, isText) && isSet(value),
];
const flag: Expectation = ["true or false", (value) => typeof value === "boolean"];
const number: Expectation = ["a number", Number.isFinite];
const count: Expectation = [
  "a whole number of at least 0",
  (value) => Number.isInteger(value) && Number(value) >= 0,
];
const list: Expectation = ["a list", Array.isArray];
const object: Expectation = ["an object", isRecord];

/** Keywords of JSON Schema 2020-12 with other schemas. */
const subschemas: ReadonlyMap<string, "schema" | "list" | "map"> = new Map([
  ...["additionalProperties", "propertyNames", "items", "contains", "not", "if", "then", "else"].map(
    (keyword) => [keyword, "schema"] as const,
  ),
  ...["unevaluatedItems", "unevaluatedProperties"].map((keyword) => [keyword, "schema"] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword) => [keyword, "list"] as const),
  ...["properties", "patternProperties", "dependentSchemas", "definitions"].map(
    (keyword) => [keyword, "map"] as const,
  ),
]);

/** Keywords without effect alone, and those of which one must be beside them. */
const companions: ReadonlyMap<string, readonly string[]> = new Map([
  ["if", ["then", "else"]],
  ["then", ["if"]],
  ["else", ["if"]],
  ["minContains", ["contains"]],
  ["maxContains", ["contains"]],
]);

/** The annotations of this project; the type ensures that none is missing. */
const annotationValues: Readonly<Record<(typeof annotations)[number], Expectation>> = {
  "x-text": oneOf("mapping", "query", "interpolated"),
  "x-templated": flag,
  "x-encoded": oneOf("url", "parameters"),
  "x-written-texts": flag,
  "x-pattern-when": objectOf("texts", isText),
  "x-root": oneOf("empty", "origin", "message", "value"),
  "x-gives": oneOf("array"),
  "x-unit": oneOf("duration"),
  "x-dates": flag,
  "x-resource": oneOf("cache", "rate_limit"),
  "x-names": oneOf("policy", "api"),
  "x-empty": flag,
  "x-sync": flag,
  "x-component": oneOf(...componentRoles),
  "x-factory": flag,
  "x-made-by": text,
  "x-brings": text,
  "x-secret": flag,
  "x-route": oneOf("http", "websocket"),
  "x-alias": text,
  "x-commas": flag,
  "x-shorthand": text,
  "x-unsupported": texts,
  "x-refused": objectOf("texts", isText),
  "x-without-effect": objectOf("texts", isText),
  "x-differences": texts,
  "x-supported": list,
  "x-reserved": flag,
  "x-fixed": flag,
  "x-format": oneOf(...Object.keys(formats)),
  "x-key-format": oneOf(...Object.keys(formats)),
  "x-needs": texts,
  "x-only-with": object,
  "x-instead-of": texts,
  "x-one-of": texts,
  "x-switched": flag,
  "x-protection": texts,
  "x-written-out": flag,
  "x-allow-list": flag,
  "x-regexp": oneOf("re2"),
  "x-at-most": ["a text or a list of texts", (value) => isText(value) || isListOf(value, isText)],
  "x-less-than": text,
  "x-holds-up": flag,
  "x-replies": flag,
  "x-unsafe": oneOf(...unsafe),
  "x-unsafe-program": text,
  "x-unsafe-values": objectOf("kinds of access", (each) => unsafe.some((kind) => kind === each)),
  "x-file": flag,
  "x-read-into": text,
  "x-read-if": text,
  "x-read-protobuf-into": text,
  "x-shared-name": oneOf(true, "beginning"),
  "x-metadata": objectOf("the types of keys", (each) => isRecord(each) && metadataTypes.includes(each.type)),
  "x-sole-metadata": flag,
  "x-sends-metadata": flag,
  "x-before-messages": flag,
  "x-expects": text,
};

/** The other keywords, of JSON Schema 2020-12 and of this project. */
const expectations: ReadonlyMap<string, Expectation> = new Map<string, Expectation>([
  ["$schema", oneOf("https://json-schema.org/draft/2020-12/schema")],
  ["$id", text],
  ["$comment", text],
  ["contentEncoding", text],
  ["contentMediaType", text],
  ["dependencies", object],
  ["title", text],
  ["description", text],
  ["default", anything],
  ["examples", list],
  ["deprecated", flag],
  ["readOnly", flag],
  ["writeOnly", flag],
  [
    "type",
    [
      `a type (${types.join(", ")}) or a list of them`,
      (value) =>
        types.includes(value) ||
        (isSet(value) && value.length > 0 && value.every((each) => types.includes(each))),
    ],
  ],
  ["enum", ["a list of different values", (value) => isSet(value) && value.length > 0]],
  ["const", anything],
  ["minimum", number],
  ["maximum", number],
  ["exclusiveMinimum", number],
  ["exclusiveMaximum", number],
  ["multipleOf", ["a number above 0", (value) => Number.isFinite(value) && Number(value) > 0]],
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map(
    (keyword) => [keyword, count] as const,
  ),
  ["minContains", count],
  ["maxContains", count],
  ["uniqueItems", flag],
  ["pattern", ["a regular expression", isPattern]],
  ["format", oneOf("regex")],
  ["required", differentTexts],
  ["dependentRequired", objectOf("lists of different texts", differentTexts[1])],
  ...Object.entries(annotationValues),
]);

/** Whether a value is a list that has no value twice. */
function isSet(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && new Set(value.map((each) => JSON.stringify(each))).size === value.length;
}
