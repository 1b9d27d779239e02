// Plans `validateRequest`: the protection that validates the bodies and parameters of requests against the described
// operations. The plan of a parameter states how it is read and the schema it must satisfy.

import type { ApiModel } from "../../model/api.ts";
import { contentOf, type RequestBody, requestBodyOf, schemaIn } from "../../model/operation-parts.ts";
import type { DeclaredParameter } from "../../model/operations.ts";
import { overlappingOperations } from "../../model/overlapping-operations.ts";
import { bodyFormatOf, mediaTypeOf, type OperationToValidate } from "../../model/validated-operations.ts";
import { entriesOf } from "../../model/written.ts";
import { type DocumentNode, findNode } from "../../trees/document.ts";
import { escapeKey } from "../../trees/pointer.ts";
import { findSchemaTarget, isOnlyReference } from "../../trees/schema-targets.ts";
import type { JsonSchema } from "../../value-types/json-schema/json-schema.ts";
import type { FieldPlan, ObjectPlan, ProtectionPlan, ValuePlan } from "../plan.ts";
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
  readonly around?: Readonly<Record<string, unknown>>;
  /** Schemas with `unevaluatedItems` or `unevaluatedProperties`, which become definitions: see `apart`. */
  readonly apart: Record<string, unknown>;
}

/** Returns the schema at `node`, self-contained. */
function requestSchema(node: DocumentNode, api: ApiModel): JsonSchema & object {
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

/** Whether a property is read-only: by itself, or by the schemas that it refers to or combines. */
function isReadOnly(schema: unknown, root: JsonSchema, depth = 0): boolean {
  if (asObject(schema).readOnly === true) return true;
  return depth <= 10 && partsOf(schema, root).some((part) => isReadOnly(part, root, depth + 1));
}

/** Writes names of properties that ajv skips in another way, which it does not. */
function withNames(schema: Keywords): Keywords {
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

function asKeywords(value: unknown): Keywords {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A planned parameter. */
interface PlannedParameter {
  readonly plan: ObjectPlan;
  readonly in: string;
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema & object;
}

/** Headers that OpenAPI does not allow as parameters, because it describes them elsewhere. */
const otherHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

const styles: Readonly<Record<string, string>> = {
  path: "simple",
  query: "form",
  header: "simple",
  cookie: "form",
};

/** Returns how a parameter is read; `undefined` if it is not validated. */
function planParameter(
  { node, name, in: place, style: written }: DeclaredParameter,
  api: ApiModel,
): PlannedParameter | undefined {
  const usual = place === undefined ? undefined : styles[place];
  if (place === undefined || name === undefined || usual === undefined) return undefined;
  if (place === "header" && otherHeaders.has(name.toLowerCase())) return undefined;
  const inContent = contentSchema(node, api);
  const described = schemaIn(node, api.references) ?? inContent;
  const schema = described === undefined ? {} : requestSchema(described, api);
  const style = inContent === undefined ? (written ?? usual) : "json";
  const explode = flagOf(node, "explode") ?? (style === "form" || style === "deepObject");
  const shape = shapeOf(schema, schema);
  const all = shape === "object" ? Object.keys(propertiesOf(schema, schema)) : [];
  const fields = style === "deepObject" ? plainFields(schema) : all;
  return {
    plan: object({
      in: text(place),
      name: text(name),
      style: text(style),
      explode: { kind: "Literal", value: explode },
      shape: text(shape),
      ...(fields.length > 0 && { fields: { kind: "List", items: fields.map(text) } }),
    }),
    in: place,
    name,
    required: place === "path" || (flagOf(node, "required") === true && !isTaken(place, name, api)),
    schema,
  };
}

/** Whether a parameter is a credential that authentication, which comes first, may take from the request. */
function isTaken(place: string, name: string, { authentication, streamsNode }: ApiModel): boolean {
  const isKept = streamsNode === undefined && authentication.options.length === 0;
  const schemes = authentication.isRequired && !isKept ? [...authentication.schemes.values()] : [];
  return schemes.some(({ isOff, sources }) =>
    sources.some(
      (source) =>
        !isOff &&
        source.place === place &&
        (place === "header" ? source.name.toLowerCase() === name.toLowerCase() : source.name === name),
    ),
  );
}

/** Returns one schema for all parameters, by location and name. The definitions of each parameter stay inside its schema. */
function planParameterSchema(parameters: readonly PlannedParameter[]): JsonSchema & object {
  const places = [...Map.groupBy(parameters, (parameter) => parameter.in)];
  const definitions: Record<string, unknown> = {};
  const properties = places.map(([place, own]) => {
    const schemas = own.map(({ name, schema }) => {
      const key = `${place} ${name}`;
      definitions[key] = localised(schema, `#/$defs/${escapePointer(key)}`);
      return [name, { $ref: `#/$defs/${escapePointer(key)}` }] as const;
    });
    const required = own.filter((each) => each.required).map(({ name }) => name);
    return [place, withNames({ type: "object", properties: Object.fromEntries(schemas), required })] as const;
  });
  return { type: "object", properties: Object.fromEntries(properties), $defs: definitions };
}

/** Rewrites references to definitions of a schema that is now at `pointer`. */
function localised(value: unknown, pointer: string): unknown {
  if (Array.isArray(value)) return value.map((each) => localised(each, pointer));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "$ref" && typeof each === "string" ? each.replace(/^#/, pointer) : localised(each, pointer),
    ]),
  );
}

function escapePointer(key: string): string {
  return encodeURIComponent(escapeKey(key));
}

/** Returns the schema of a parameter with `content` instead of `schema`: its one media type, if that is JSON. */
function contentSchema(node: DocumentNode, api: ApiModel): DocumentNode | undefined {
  const content = contentOf(node, api.references);
  const [entry] = content?.kind === "map" ? content.entries : [];
  return entry !== undefined && /[/+]json\b/.test(entry.key)
    ? schemaIn(entry.value, api.references)
    : undefined;
}

/** Returns the type of value that the texts of a parameter are combined into. */
function shapeOf(schema: unknown, root: JsonSchema, depth = 0): "text" | "list" | "object" {
  const { type, properties, items } = asObject(schema);
  const types = [type].flat();
  if (types.includes("array") || (type === undefined && items !== undefined)) return "list";
  if (types.includes("object") || (type === undefined && properties !== undefined)) return "object";
  if (depth > 10) return "text";
  const parts = partsOf(schema, root);
  return parts.map((part) => shapeOf(part, root, depth + 1)).find((shape) => shape !== "text") ?? "text";
}

function propertiesOf(schema: unknown, root: JsonSchema, depth = 0): Readonly<Record<string, unknown>> {
  if (depth > 10) return {};
  const all = [
    ...partsOf(schema, root).map((part) => propertiesOf(part, root, depth + 1)),
    asObject(asObject(schema).properties),
  ];
  // Not `Object.assign`, which would take a property named `__proto__` for the prototype.
  return Object.fromEntries(all.flatMap(Object.entries));
}

/** Returns the schemas that a value must satisfy beside the schema's own keywords: those of `allOf` and `$ref`. */
function partsOf(schema: unknown, root: JsonSchema): readonly unknown[] {
  const { $ref, allOf } = asObject(schema);
  return [...(Array.isArray(allOf) ? allOf : []), ...($ref === undefined ? [] : [follow($ref, root)])];
}

/** Returns the declared properties that are no objects: nothing is written into them. */
function plainFields(schema: JsonSchema): readonly string[] {
  return Object.entries(propertiesOf(schema, schema)).flatMap(([name, property]) =>
    shapeOf(property, schema) === "object" ? [] : [name],
  );
}

function follow(reference: unknown, root: JsonSchema): unknown {
  const name = typeof reference === "string" ? reference.replace("#/$defs/", "") : "";
  return asObject(asObject(root).$defs)[name];
}

function flagOf(node: DocumentNode, key: string): boolean | undefined {
  const found = findNode(node, key);
  return found?.kind === "scalar" && typeof found.value === "boolean" ? found.value : undefined;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function text(value: string): ValuePlan {
  return { kind: "Literal", value };
}

function object(fields: Readonly<Record<string, ValuePlan>>): ObjectPlan {
  const entries = Object.entries(fields).map(
    ([name, value]): FieldPlan => ({ name, value, defaulted: false }),
  );
  return { kind: "Object", fields: entries };
}

/** Plans the validation of the operations that have it enabled. */
export function planRequestValidation(api: ApiModel): ProtectionPlan | undefined {
  const { operations, span } = api.requestValidation;
  if (operations.length === 0 || span === undefined) return undefined;
  const passed = overlappingOperations(operations, api).map(({ verb, path }) =>
    objectPlan({ verb: literal(verb), path: literal(path) }),
  );
  return {
    name: "request_validation",
    origin: { span, path: "x-gw-api-gateway.middleware" },
    options: objectPlan({
      operations: { kind: "List", items: operations.map((operation) => planOperation(operation, api)) },
      ...(passed.length > 0 && { passed: { kind: "List", items: passed } }),
    }),
  };
}

function planOperation(operation: OperationToValidate, api: ApiModel): ObjectPlan {
  const { verb, path, status, name, node } = operation;
  const parameters = operation.parameters.flatMap((parameter) => planParameter(parameter, api) ?? []);
  const body = planBody(requestBodyOf(node, api.references), name, api);
  return objectPlan({
    verb: literal(verb),
    path: literal(path),
    ...(status === 422 ? {} : { status: literal(status) }),
    ...(parameters.length === 0
      ? {}
      : {
          parameters: { kind: "List", items: parameters.map(({ plan }) => plan) },
          check: {
            kind: "SchemaCheck",
            name,
            schema: planParameterSchema(parameters),
            takesTexts: true,
            tellsAll: true,
          },
        }),
    ...(body === undefined ? {} : { body }),
  });
}

function planBody(body: RequestBody | undefined, name: string, api: ApiModel): ObjectPlan | undefined {
  const content = entriesOf(body?.content);
  if (body === undefined || content.length === 0) return undefined;
  const types = content.map(({ key, value }) => planMedia(key, value, name, api));
  return objectPlan({
    required: literal(body.isRequired),
    content: { kind: "List", items: types },
  });
}

function planMedia(key: string, node: DocumentNode, name: string, api: ApiModel): ObjectPlan {
  const type = mediaTypeOf(key);
  const format = bodyFormatOf(type);
  const schema = schemaIn(node, api.references);
  if (format === undefined || schema === undefined) return objectPlan({ type: literal(type) });
  const whole = requestSchema(schema, api);
  const fields = format === "form" ? plainFields(whole) : [];
  const check = (tellsAll: boolean): ValuePlan => ({
    kind: "SchemaCheck",
    name: `${name} ${tellsAll ? "body" : "large body"}`,
    schema: whole,
    takesTexts: format === "form",
    tellsAll,
  });
  return objectPlan({
    type: literal(type),
    ...(format === "json" ? {} : { format: literal(format) }),
    ...(fields.length > 0 && { fields: { kind: "List", items: fields.map(literal) } }),
    check: check(true),
    quickCheck: check(false),
  });
}

function objectPlan(fields: Readonly<Record<string, ValuePlan>>): ObjectPlan {
  const entries = Object.entries(fields).map(
    ([name, value]): FieldPlan => ({ name, value, defaulted: false }),
  );
  return { kind: "Object", fields: entries };
}

function literal(value: string | number | boolean): ValuePlan {
  return { kind: "Literal", value };
}
