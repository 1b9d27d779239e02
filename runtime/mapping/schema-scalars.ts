// Keywords of JSON Schema for numbers, texts, and any value as a whole.

import formatsModule from "ajv-formats/dist/formats.js";
import { RE2JS } from "re2js";
import { MappingError } from "../errors.ts";
import { isMultipleOf } from "../text/decimals.ts";
import { identitiesOf } from "../text/json-identity.ts";
import { isUrl } from "../text/url-format.ts";
import { isPlainObject, type PlainJson } from "./plain-json.ts";
import type { Check, Faults, Keyword } from "./schema-faults.ts";

type Row = readonly [string, Keyword];

const formats = { ...formatsModule.fullFormats, url: isUrl };

export const numberKeywords: readonly Row[] = [
  ["multipleOf", limit("multipleOf", isMultiple)],
  ["maximum", limit("maximum", (value, most) => value <= most, "exclusiveMaximum")],
  ["exclusiveMaximum", limit("exclusiveMaximum", (value, most) => value < most)],
  ["minimum", limit("minimum", (value, least) => value >= least, "exclusiveMinimum")],
  ["exclusiveMinimum", limit("exclusiveMinimum", (value, least) => value > least)],
];

/** Keywords for any value. */
export const commonKeywords: readonly Row[] = [
  ["const", (wanted) => refuse("const", wanted, (value) => same(value, wanted))],
  ["enum", compileEnum],
];

export const textKeywords: readonly Row[] = [
  ["minLength", length("minLength", (count, least) => count >= least)],
  ["maxLength", length("maxLength", (count, most) => count <= most)],
  ["pattern", compilePattern],
  ["format", compileFormat],
];

/** Returns a test for a pattern. Uses RE2, because JavaScript regular expressions can run without end. */
export function matcher(pattern: PlainJson): (text: string) => boolean {
  if (typeof pattern !== "string") throw new MappingError("schema is invalid");
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.matcher(text).find();
}

/** Returns a text that is the same only for equal values. The order of keys does not matter. */
export function identity(value: PlainJson): string {
  return JSON.stringify(value, (_, inner: PlainJson) => {
    if (!isPlainObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Reports a fault of `keyword` unless `holds` accepts the value. */
export function refuse(keyword: string, detail: PlainJson, holds: (value: PlainJson) => boolean): Check {
  return (value, path, faults) => {
    if (!holds(value)) faults.push({ keyword, path, detail });
  };
}

/** `type`: whether a value has the type, or one of the types. */
export function isOfTypes(value: PlainJson, wanted: PlainJson): boolean {
  return (Array.isArray(wanted) ? wanted : [wanted]).some((type) => isOfType(value, type));
}

function isOfType(value: PlainJson, type: PlainJson): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isPlainObject(value);
    default:
      return value !== null && typeof value === type;
  }
}

/** Returns a keyword that limits numbers. In draft 4, the limit itself is excluded if `flag` is true. */
function limit(keyword: string, fits: (value: number, limit: number) => boolean, flag = ""): Keyword {
  return (bound, { schema }) => {
    if (typeof bound !== "number") return undefined;
    const isExclusive = schema[flag] === true;
    return refuse(isExclusive ? flag : keyword, bound, (value) => {
      return typeof value !== "number" || (fits(value, bound) && !(isExclusive && value === bound));
    });
  };
}

/**
 * Whether a number is a whole multiple of another above 0. Fractions are the decimals that `String` writes: a quotient of
 * floats is not exact, and 19.99 / 0.01 is no integer.
 */
function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
  return Number.isFinite(value) && isMultipleOf(String(value), String(of));
}

function length(keyword: string, fits: (count: number, limit: number) => boolean): Keyword {
  return (bound) => {
    if (typeof bound !== "number") return undefined;
    // Count characters, some of which are two units of a JavaScript string.
    return refuse(keyword, bound, (value) => typeof value !== "string" || fits([...value].length, bound));
  };
}

function compilePattern(pattern: PlainJson): Check {
  const matches = matcher(pattern);
  return refuse("pattern", pattern, (value) => typeof value !== "string" || matches(value));
}

/** Returns the check of a format. Unknown formats have no effect. */
function compileFormat(name: PlainJson): Check | undefined {
  const known = Object.entries(formats).find(([format]) => format === name)?.[1];
  if (known === undefined || known === true) return undefined;
  const holds = formatTest(known);
  return refuse("format", name, holds);
}

function formatTest(format: Exclude<(typeof formats)["date"], true>): (value: PlainJson) => boolean {
  if (format instanceof RegExp) return (value) => typeof value !== "string" || format.test(value);
  if (typeof format === "function") return (value) => typeof value !== "string" || format(value) === true;
  const { type = "string", validate } = format as { type?: string; validate: unknown };
  return (value) => {
    if (typeof value !== type) return true;
    if (validate instanceof RegExp) return validate.test(String(value));
    return typeof validate !== "function" || validate(value) === true;
  };
}

function compileEnum(values: PlainJson): Check {
  if (!Array.isArray(values)) throw new MappingError("schema is invalid");
  const known = new Set(values.map(identity));
  return refuse("enum", values, (value) => known.has(identity(value)));
}

/** The value that is checked as a whole. */
let whole: PlainJson = null;

/** Returns what `judge` returns. Lists of `value` in each other meanwhile read their common parts once. */
export function judgingWhole<T>(value: PlainJson, judge: () => T): T {
  whole = value;
  try {
    return judge();
  } finally {
    whole = null;
  }
}

/** `uniqueItems`: reports each element that is equal to an earlier one, with the index of the last such one. */
export function findRepeated(value: PlainJson, path: readonly string[], faults: Faults): void {
  if (!Array.isArray(value)) return;
  const identities = identitiesOf(typeof whole === "object" && whole !== null ? whole : value);
  const seen = new Map<string, number>();
  for (const [index, element] of value.entries()) {
    const key = identities.of(element);
    const before = seen.get(key);
    if (before !== undefined) faults.push({ keyword: "uniqueItems", path, detail: `${before},${index}` });
    seen.set(key, index);
  }
}

function same(a: PlainJson, b: PlainJson): boolean {
  return identity(a) === identity(b);
}
