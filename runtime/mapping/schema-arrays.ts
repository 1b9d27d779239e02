// Keywords of JSON Schema about arrays.

import type { PlainJson } from "./plain-json.ts";
import { type Check, type Keyword, type KeywordContext, meets } from "./schema-faults.ts";
import { identity, refuse } from "./schema-scalars.ts";

export const arrayKeywords: readonly (readonly [string, Keyword])[] = [
  ["maxItems", count("maxItems", (length, most) => length <= most)],
  ["minItems", count("minItems", (length, least) => length >= least)],
  ["uniqueItems", (unique) => (unique === true ? refuse("uniqueItems", true, isUnique) : undefined)],
  ["items", compileItems],
  ["contains", compileContains],
];

function count(keyword: string, fits: (length: number, limit: number) => boolean): Keyword {
  return (bound) => {
    if (typeof bound !== "number") return undefined;
    return refuse(keyword, bound, (value) => !Array.isArray(value) || fits(value.length, bound));
  };
}

function isUnique(value: PlainJson): boolean {
  return !Array.isArray(value) || new Set(value.map(identity)).size === value.length;
}

/** One schema for all elements, or a list of schemas for the first ones and `additionalItems` for the rest. */
function compileItems(items: PlainJson, { schema, compile }: KeywordContext): Check {
  const isList = Array.isArray(items);
  const first = isList ? items.map(compile) : [];
  const additional = isList ? (schema.additionalItems ?? true) : items;
  const rest = compile(additional);
  return (value, path, faults) => {
    if (!Array.isArray(value)) return;
    if (additional === false && value.length > first.length) {
      faults.push({ keyword: "additionalItems", path, detail: first.length });
    }
    for (const [index, element] of value.entries()) {
      const check = first[index] ?? (additional === false ? undefined : rest);
      check?.(element, [...path, String(index)], faults);
    }
  };
}

function compileContains(wanted: PlainJson, { compile }: KeywordContext): Check {
  const check = compile(wanted);
  return refuse("contains", null, (value) => {
    return !Array.isArray(value) || value.some((element) => meets(check, element));
  });
}
