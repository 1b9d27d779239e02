// Keywords of JSON Schema about objects.

import { MappingError } from "../errors.ts";
import { isPlainObject, type PlainJson } from "./plain-json.ts";
import { type Check, type Keyword, type KeywordContext, meets } from "./schema-faults.ts";
import { matcher, refuse } from "./schema-scalars.ts";

export const objectKeywords: readonly (readonly [string, Keyword])[] = [
  ["maxProperties", count("maxProperties", (size, most) => size <= most)],
  ["minProperties", count("minProperties", (size, least) => size >= least)],
  ["required", (names) => eachKey(names, "required")],
  ["propertyNames", compileNames],
  ["additionalProperties", compileAdditional],
  ["dependencies", compileDependencies],
  ["properties", compileProperties],
  ["patternProperties", compilePatterns],
];

function count(keyword: string, fits: (size: number, limit: number) => boolean): Keyword {
  return (bound) => {
    if (typeof bound !== "number") return undefined;
    return refuse(keyword, bound, (value) => !isPlainObject(value) || fits(Object.keys(value).length, bound));
  };
}

/** A fault of `keyword` for each of `names` that an object lacks. In draft 3 `required` was a flag. */
function eachKey(names: PlainJson, keyword: string): Check | undefined {
  if (!Array.isArray(names)) return undefined;
  const keys = names.map(String);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const key of keys) if (!Object.hasOwn(value, key)) faults.push({ keyword, path, detail: key });
  };
}

function compileNames(schema: PlainJson, { compile }: KeywordContext): Check {
  const check = compile(schema);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const key of Object.keys(value)) {
      if (!meets(check, key)) faults.push({ keyword: "propertyNames", path, detail: key });
    }
  };
}

function compileAdditional(additional: PlainJson, { schema, compile }: KeywordContext): Check {
  const named = isPlainObject(schema.properties) ? schema.properties : {};
  const patterns = Object.keys(isPlainObject(schema.patternProperties) ? schema.patternProperties : {});
  const matchers = patterns.map(matcher);
  const isAdditional = (key: string) =>
    !Object.hasOwn(named, key) && !matchers.some((matches) => matches(key));
  const check = compile(additional);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const key of Object.keys(value).filter(isAdditional)) {
      if (additional === false) faults.push({ keyword: "additionalProperties", path, detail: key });
      else check(value[key] ?? null, [...path, key], faults);
    }
  };
}

/** Keys, or a schema for the whole object, that count where a key is there. */
function compileDependencies(dependencies: PlainJson, { compile }: KeywordContext): Check {
  const rows = entriesOf(dependencies).map(([key, needed]) => {
    return [key, Array.isArray(needed) ? eachKey(needed, "dependencies") : compile(needed)] as const;
  });
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const [key, check] of rows) if (Object.hasOwn(value, key)) check?.(value, path, faults);
  };
}

function compileProperties(properties: PlainJson, { compile }: KeywordContext): Check {
  const checks = entriesOf(properties).map(([key, schema]) => [key, compile(schema)] as const);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const [key, check] of checks) {
      if (Object.hasOwn(value, key)) check(value[key] ?? null, [...path, key], faults);
    }
  };
}

function compilePatterns(patterns: PlainJson, { compile }: KeywordContext): Check {
  const rows = entriesOf(patterns).map(([pattern, schema]) => [matcher(pattern), compile(schema)] as const);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const [matches, check] of rows) {
      for (const key of Object.keys(value).filter(matches)) check(value[key] ?? null, [...path, key], faults);
    }
  };
}

function entriesOf(value: PlainJson): readonly (readonly [string, PlainJson])[] {
  if (!isPlainObject(value)) throw new MappingError("schema is invalid");
  return Object.entries(value);
}
