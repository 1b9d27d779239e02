// Validates values against JSON Schema (drafts 4, 6 and 7), with the messages of the reference engine.

import { MappingError } from "../errors.ts";
import { parseJsonText } from "../message/json.ts";
import type { Value } from "../message/value.ts";
import { textArgument } from "./arguments.ts";
import { failedOn } from "./failures.ts";
import { type PlainJson, plainJson } from "./plain-json.ts";
import { compileSchema } from "./schema-checks.ts";
import { type Check, faultsOf, type SchemaFault } from "./schema-faults.ts";
import { judgingWhole } from "./schema-scalars.ts";

/** The compiled schema of a call with a literal schema. It is compiled by the first call. */
export interface KeptSchema {
  check: Check | undefined;
}

/** Returns a `KeptSchema` before the first call. */
export function createSchema(): KeptSchema {
  return { check: undefined };
}

/** `.json_schema(schema)`: returns the value unchanged if it is valid. */
export function jsonSchema(kept: KeptSchema | undefined, target: Value, from: string, schema: Value): Value {
  const text = textArgument("method 'json_schema'", "schema", schema);
  const check = kept?.check ?? compileText(text);
  if (kept !== undefined) kept.check = check;
  const misfit = findFaults(check, target);
  if (misfit !== undefined) throw failedOn(from, misfit.reason, misfit.reason, misfit.detail);
  return target;
}

/** Compiles a schema. Throws a `MappingError` if the text is not a valid schema. */
export function compileText(text: string): Check {
  const parsed = parseJsonText(text);
  if ("reason" in parsed) {
    const reason = /[^ \t\r\n]/.test(text) ? parsed.reason.replace("parse as json: ", "") : "EOF";
    throw new MappingError(`failed to parse json schema definition: ${reason}`);
  }
  try {
    return compileSchema(plainJson(parsed.value));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MappingError(`failed to parse json schema definition: ${reason}`);
  }
}

/** The faults of a value. */
export interface Misfit {
  /** One line for each fault. */
  readonly reason: string;
  /** The violated keywords, without any content of the value. */
  readonly detail: string;
}

/** Returns the faults of a value; `undefined` if it is valid. */
export function findFaults(check: Check, target: Value): Misfit | undefined {
  const value = plainJson(target);
  let faults: readonly SchemaFault[];
  try {
    faults = judgingWhole(value, () => faultsOf(check, value, []).all);
  } catch (error) {
    // A schema that only refers to itself, or a value that is nested too deep for the stack.
    if (!(error instanceof RangeError)) throw error;
    const reason = "the schema or the value is nested too deep";
    return { reason, detail: reason };
  }
  if (faults.length === 0) return undefined;
  const keywords = [...new Set(faults.map(({ keyword }) => `\`${keyword}\``))];
  return {
    reason: faults.map(faultText).join("\n"),
    detail: `the schema is not met: ${keywords.join(", ")}`,
  };
}

function faultText(fault: SchemaFault): string {
  const field = fault.path.length === 0 ? "(root)" : fault.path.join(".");
  return `${field} ${description(fault, field)}`;
}

function description({ keyword, detail, given = null }: SchemaFault, field: string): string {
  switch (keyword) {
    case "type": {
      const expected = Array.isArray(detail) ? `[${detail.join(",")}]` : String(detail);
      return `invalid type. expected: ${expected}, given: ${jsonType(given)}`;
    }
    case "required":
      return ofProperty(String(detail), `${detail} is required`);
    case "additionalProperties":
      return ofProperty(String(detail), `additional property ${detail} is not allowed`);
    case "enum":
      return `${field} must be one of the following: ${allowed(detail)}`.toLowerCase();
    case "const":
      return `${field} does not match: ${JSON.stringify(detail)}`.toLowerCase();
    case "pattern":
      return `does not match pattern '${detail}'`.toLowerCase();
    case "format":
      return `does not match format '${detail}'`.toLowerCase();
    case "propertyNames":
      return ofProperty(String(detail), `property name of "${detail}" does not match`);
    case "uniqueItems":
      return `array items[${detail}] must be unique`;
    case "then":
      return 'must validate "then" as "if" was valid';
    case "else":
      return 'must validate "else" as "if" was not valid';
    case "dependencies":
      return `has a dependency on ${detail}`.toLowerCase();
    default:
      return limitText(keyword, detail);
  }
}

/** Returns a text about a property. The reference engine puts its name before texts that do not begin with it. */
function ofProperty(name: string, text: string): string {
  const [lower, before] = [text.toLowerCase(), name.toLowerCase()];
  return name + (lower.startsWith(before) ? lower.slice(before.length) : lower);
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
  contains: () => "at least one of the items must match",
  anyOf: () => "must validate at least one schema (anyof)",
  oneOf: () => "must validate one and only one schema (oneof)",
  allOf: () => "must validate all the schemas (allof)",
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
