// Values held against JSON Schemas (drafts 4, 6 and 7), with failures in the reference's words.

import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { RE2JS } from "re2js";
import { parseJsonText } from "../json.ts";
import { isArray, isObject, type ObjectValue, type Value } from "../value.ts";
import { textArgument } from "./arguments.ts";
import { failedOn } from "./failures.ts";
import { type PlainJson, plainJson } from "./plain-json.ts";

/** The schema of a call that is a literal, once it is compiled. */
export interface KeptSchema {
  validate: ValidateFunction | undefined;
}

/** Nothing compiled yet. */
export function createSchema(): KeptSchema {
  return { validate: undefined };
}

/** `.json_schema(schema)`: the value itself where it fits. */
export function jsonSchema(kept: KeptSchema | undefined, target: Value, from: string, schema: Value): Value {
  const text = textArgument("method 'json_schema'", "schema", schema);
  const validate = kept?.validate ?? compile(text, from);
  if (kept !== undefined) kept.validate = validate;
  const value = plainJson(target);
  if (validate(value)) return target;
  const faults = (validate.errors ?? []).filter((fault) => isShown(fault, validate.errors ?? []));
  throw failedOn(from, faults.map((fault) => faultText(fault, value)).join("\n"));
}

function compile(text: string, from: string): ValidateFunction {
  const parsed = parseJsonText(text);
  if ("reason" in parsed) throw failedOn(from, `failed to parse json schema definition: ${parsed.reason}`);
  // Patterns are matched by the language's own engine: JavaScript's can be made to run without end.
  const regExp = Object.assign((pattern: string) => matcher(pattern), { code: "matcher" });
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    logger: false,
    validateSchema: false,
    code: { regExp },
  });
  addFormats.default(ajv);
  try {
    return ajv.compile(
      typeof parsed.value === "boolean" ? parsed.value : modern(asObject(parsed.value, from)),
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw failedOn(from, `failed to parse json schema definition: ${reason}`);
  }
}

function matcher(pattern: string): { test(text: string): boolean } {
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.matcher(text).find() };
}

function asObject(value: Value, from: string): ObjectValue {
  if (isObject(value)) return value;
  throw failedOn(from, "failed to parse json schema definition: schema is invalid");
}

/** Draft 4 spelt a few things otherwise. Which draft is named does not matter, as in the reference. */
function modern(schema: ObjectValue): Record<string, PlainJson> {
  const result: Record<string, PlainJson> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$schema" || isExclusiveFlag(key, value)) continue;
    const name = key === "id" && typeof value === "string" ? "$id" : exclusiveName(key, schema);
    Object.defineProperty(result, name, {
      value: modernValue(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

function modernValue(value: Value): PlainJson {
  if (isArray(value)) return value.map(modernValue);
  return isObject(value) ? modern(value) : plainJson(value);
}

function isExclusiveFlag(key: string, value: Value): boolean {
  return (key === "exclusiveMinimum" || key === "exclusiveMaximum") && typeof value === "boolean";
}

function exclusiveName(key: string, schema: ObjectValue): string {
  if (key === "minimum" && schema.exclusiveMinimum === true) return "exclusiveMinimum";
  return key === "maximum" && schema.exclusiveMaximum === true ? "exclusiveMaximum" : key;
}

/** Of alternatives only that none fits is told, and of `if` only what its branch says. */
function isShown(fault: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (fault.keyword === "if") return false;
  return !all.some(({ keyword, schemaPath }) => {
    const choice = keyword === "anyOf" || keyword === "oneOf";
    return choice && fault.schemaPath.startsWith(`${schemaPath}/`);
  });
}

function faultText(fault: ErrorObject, root: PlainJson): string {
  const path = fault.instancePath.split("/").slice(1).map(unescapePointer);
  const field = path.length === 0 ? "(root)" : path.join(".");
  return `${field} ${description(fault, field, valueAt(root, path))}`;
}

function description({ keyword, params }: ErrorObject, field: string, value: PlainJson): string {
  switch (keyword) {
    case "type": {
      const expected = Array.isArray(params.type) ? `[${params.type.join(",")}]` : String(params.type);
      return `invalid type. expected: ${expected}, given: ${jsonType(value)}`;
    }
    case "required":
      return `${params.missingProperty} is required`;
    case "additionalProperties":
      // The reference writes names as they are only where a text begins with one.
      return `${params.additionalProperty}${`additional property ${params.additionalProperty} is not allowed`.toLowerCase()}`;
    case "enum":
      return `${field} must be one of the following: ${allowed(params.allowedValues)}`.toLowerCase();
    case "const":
      return `${field} does not match: ${JSON.stringify(params.allowedValue)}`.toLowerCase();
    case "pattern":
      return `does not match pattern '${params.pattern}'`.toLowerCase();
    case "format":
      return `does not match format '${params.format}'`.toLowerCase();
    case "dependencies":
    case "dependentRequired":
      return `has a dependency on ${params.missingProperty}`.toLowerCase();
    default:
      return limitText(keyword, params.limit ?? params.multipleOf);
  }
}

const limits: Readonly<Record<string, (limit: unknown) => string>> = {
  minLength: (limit) => `string length must be greater than or equal to ${limit}`,
  maxLength: (limit) => `string length must be less than or equal to ${limit}`,
  minimum: (limit) => `must be greater than or equal to ${limit}`,
  maximum: (limit) => `must be less than or equal to ${limit}`,
  exclusiveMinimum: (limit) => `must be greater than ${limit}`,
  exclusiveMaximum: (limit) => `must be less than ${limit}`,
  multipleOf: (limit) => `must be a multiple of ${limit}`,
  minItems: (limit) => `array must have at least ${limit} items`,
  maxItems: (limit) => `array must have at most ${limit} items`,
  minProperties: (limit) => `must have at least ${limit} properties`,
  maxProperties: (limit) => `must have at most ${limit} properties`,
  additionalItems: () => "no additional items allowed on array",
  uniqueItems: () => "array items must be unique",
  contains: () => "at least one of the items must match",
  anyOf: () => "must validate at least one schema (anyof)",
  oneOf: () => "must validate one and only one schema (oneof)",
  not: () => "must not validate the schema (not)",
  "false schema": () => "false always fails validation",
};

function limitText(keyword: string, limit: unknown): string {
  return limits[keyword]?.(limit) ?? `does not satisfy ${keyword}`;
}

function allowed(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(", ") : "";
}

function jsonType(value: PlainJson): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function valueAt(root: PlainJson, path: readonly string[]): PlainJson {
  let value = root;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)] ?? null;
    else if (typeof value === "object" && value !== null) value = value[step] ?? null;
  }
  return value;
}
