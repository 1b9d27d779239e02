// Functions on dictionaries.

import { mostElements, refuseLarger } from "../../mapping/size-limits.ts";
import { spend } from "../jq/run.ts";
import { toText } from "./casts.ts";
import { Dict, failure, isTrue, List, type TemplateValue } from "./values.ts";

export function dict(...values: readonly TemplateValue[]): Dict {
  const made = new Dict();
  for (let index = 0; index < values.length; index += 2)
    made.set(toText(values[index]), index + 1 < values.length ? values[index + 1] : "");
  return made;
}

export function get(target: Dict | null, key: string): TemplateValue {
  return target?.has(key) === true ? target.get(key) : "";
}

export function set(target: Dict | null, key: string, value: TemplateValue): Dict {
  if (target === null) throw failure("cannot set a key of null");
  refuseLarger("a dictionary", target.size, mostElements);
  target.set(key, value);
  return target;
}

export function unset(target: Dict | null, key: string): Dict {
  target?.delete(key);
  return target ?? new Dict();
}

export function hasKey(target: Dict | null, key: string): boolean {
  return target?.has(key) === true;
}

export function pluck(key: string, ...targets: readonly (Dict | null)[]): List {
  return new List(targets.flatMap((each) => (each?.has(key) === true ? [each.get(key)] : [])));
}

/** Returns the keys in their order; it is random in the reference engine. */
export function keys(...targets: readonly (Dict | null)[]): List {
  return new List(
    targets.flatMap((each) => each?.keys() ?? []),
    "string",
  );
}

/** Returns the values in the order of their keys; it is random in the reference engine. */
export function values(target: Dict | null): List {
  return new List((target?.entries() ?? []).map(([, value]) => value));
}

export function pick(target: Dict | null, ...wanted: readonly string[]): Dict {
  const kept = wanted.filter((key) => target?.has(key) === true);
  return new Dict(kept.map((key) => [key, target?.get(key)] as const));
}

export function omit(target: Dict | null, ...unwanted: readonly string[]): Dict {
  const omitted = new Set(unwanted);
  return new Dict((target?.entries() ?? []).filter(([key]) => !omitted.has(key)));
}

export function merge(target: Dict | null, ...sources: readonly (Dict | null)[]): Dict {
  return merged(target, sources, false);
}

export function mergeOverwrite(target: Dict | null, ...sources: readonly (Dict | null)[]): Dict {
  return merged(target, sources, true);
}

/** Merges into the first dictionary, which changes, and those inside it. */
function merged(target: Dict | null, sources: readonly (Dict | null)[], overwrites: boolean): Dict {
  const result = target ?? new Dict();
  for (const source of sources) if (source !== null) mergeInto(result, source, overwrites);
  return result;
}

function mergeInto(target: Dict, source: Dict, overwrites: boolean): void {
  if (target === source) return;
  for (const [key, value] of source.entries()) {
    spend(1);
    const own = target.get(key);
    if (value === null || value === undefined) {
      if (overwrites) target.set(key, null);
      continue;
    }
    if (value instanceof Dict && own instanceof Dict) {
      mergeInto(own, value, overwrites);
      if (isTrue(own)) continue;
    }
    if (overwrites || !isTrue(own)) target.set(key, value);
  }
}

export function dig(...args: readonly TemplateValue[]): TemplateValue {
  if (args.length < 3) throw failure("`dig` requires at least three arguments");
  const path = args.slice(0, -2);
  let at = args.at(-1);
  for (const key of path) {
    if (!(at instanceof Dict)) throw failure("`dig` can only look into dictionaries");
    if (typeof key !== "string") throw failure("the keys of `dig` have to be texts");
    if (!at.has(key)) return args.at(-2);
    at = at.get(key);
  }
  return at;
}

export function deepCopy(value: TemplateValue): TemplateValue {
  if (value === null || value === undefined) throw failure("there is nothing to copy");
  return copied(value);
}

function copied(value: TemplateValue): TemplateValue {
  spend(1);
  if (value instanceof List) return new List(value.items.map(copied), value.of, value.isNil);
  if (!(value instanceof Dict)) return value;
  return new Dict(
    value.entries().map(([key, each]) => [key, copied(each)] as const),
    value.of,
  );
}
