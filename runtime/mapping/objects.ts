// Methods on objects, and methods that take paths.

import { MappingError } from "../errors.ts";
import { sortedKeys } from "../message/json-print.ts";
import { deleted, isArray, isObject, nothing, type ObjectValue, type Value } from "../message/value.ts";
import { boolArgument, objectTarget, textArgument } from "./arguments.ts";
import { type Query, runQuery } from "./arrays.ts";
import { failedOn, wrongType } from "./failures.ts";
import { typeName } from "./kinds.ts";
import { deletePath, getPath, parsePath, put, resolve } from "./paths.ts";
import { textOf } from "./text.ts";

/** `.get(path)` */
export function get(target: Value, _from: string, path: Value): Value {
  return getPath(target, textArgument("method 'get'", "path", path));
}

/** `.set(path, value)`: `deleted()` removes the value at the path. */
export function setAt(target: Value, _from: string, path: Value, value: Value): Value {
  const segments = parsePath(textArgument("method 'set'", "path", path));
  if (value === deleted) return takeOut(target, segments);
  if (isArray(target) && segments[0] === "-") {
    throw new MappingError("unable to append new array index at root of path");
  }
  return put(target ?? {}, segments, 0, value === nothing ? null : value);
}

/** Returns a value with the part at a path removed. Throws a `MappingError` if the path does not exist. */
function takeOut(target: Value, segments: readonly string[]): Value {
  if (target === null) throw new MappingError("not an object");
  const last = segments.at(-1);
  if (last === undefined) throw new MappingError("invalid search query");
  const parent = resolve(target, segments.slice(0, -1)) ?? null;
  if (isObject(parent)) {
    if (!Object.hasOwn(parent, last)) throw new MappingError("field not found");
  } else if (isArray(parent)) {
    if (segments.length < 2) throw new MappingError("unable to delete array index at root of path");
    const index = Number(last);
    if (!/^[+-]?\d+$/.test(last)) {
      const reason = `strconv.Atoi: parsing "${last}": invalid syntax`;
      throw new MappingError(`failed to parse array index '${last}': ${reason}`);
    }
    if (index < 0 || index >= parent.length) throw new MappingError("out of bounds");
  } else throw new MappingError("not an object or array");
  return deletePath(target, segments);
}

/** `.exists(path)`: a null value exists. */
export function exists(target: Value, _from: string, path: Value): boolean {
  return resolve(target, parsePath(textArgument("method 'exists'", "path", path))) !== undefined;
}

/** `.keys()` */
export function keys(target: Value, from: string): readonly Value[] {
  return sortedKeys(objectTarget(target, from));
}

/** `.values()`: in the order of the keys. The reference engine returns them in no particular order. */
export function values(target: Value, from: string): readonly Value[] {
  const object = objectTarget(target, from);
  return sortedKeys(object).map((key) => object[key] ?? null);
}

/** `.key_values()`: in the same order as `.values()`. */
export function keyValues(target: Value, from: string): readonly Value[] {
  const object = objectTarget(target, from);
  return sortedKeys(object).map((key) => ({ key, value: object[key] ?? null }));
}

/** `.map_each_key(query)`: `nothing()` leaves the key unchanged. */
export function mapEachKey(target: Value, from: string, query: Query): ObjectValue {
  const object = objectTarget(target, from);
  const entries = sortedKeys(object).map((key): [string, Value] => {
    const mapped = runQuery(from, query, key);
    if (mapped === nothing) return [key, object[key] ?? null];
    if (typeof mapped !== "string" && !(mapped instanceof Uint8Array)) {
      throw failedOn(
        from,
        `unexpected result from key mapping: ${wrongType("", ["string"], mapped).message}`,
      );
    }
    return [textOf(mapped), object[key] ?? null];
  });
  return Object.fromEntries(entries);
}

/** `.with("a", "b.c")`: keeps only the values at the paths, of `"b", "b.c"` that at the longer one. Arrays stay whole. */
export function withPaths(target: Value, _from: string, ...paths: readonly Value[]): Value {
  const kept = pathArguments(paths);
  return keepOnly(objectTarget(target, ""), kept);
}

/** `.without("a", "b.c")` */
export function withoutPaths(target: Value, from: string, ...paths: readonly Value[]): Value {
  const left = pathArguments(paths);
  return leaveOut(objectTarget(target, from), left);
}

/** `.collapse(include_empty)`: `{"a":{"b":1}}` becomes `{"a.b":1}`. Dots in names are not escaped. */
export function collapse(target: Value, from: string, includeEmpty: Value): ObjectValue {
  const isEmptyIncluded = boolArgument("method 'collapse'", "include_empty", includeEmpty);
  if (!isObject(target) && !isArray(target)) throw failedOn(from, "not an object or array");
  const entries: [string, Value][] = [];
  collect(target, [], isEmptyIncluded, entries);
  return Object.fromEntries(entries);
}

/** `.explode(path)`: returns an array or object of copies, each with one element of the value at the path. */
export function explode(target: Value, from: string, path: Value): Value {
  const text = textArgument("method 'explode'", "path", path);
  const segments = parsePath(text);
  const object = objectTarget(target, from);
  const inner = resolve(object, segments) ?? null;
  const copy = (value: Value) => put(object, segments, 0, value);
  if (isArray(inner)) return inner.map(copy);
  if (isObject(inner)) {
    return Object.fromEntries(Object.entries(inner).map(([key, value]) => [key, copy(value)]));
  }
  throw failedOn(from, `expected array or object value at path '${text}', found: ${typeName(inner)}`);
}

function pathArguments(paths: readonly Value[]): readonly (readonly string[])[] {
  return paths.map((path, index) => {
    if (typeof path === "string" || path instanceof Uint8Array) return parsePath(textOf(path));
    throw new MappingError(`argument ${index}: ${wrongType("", ["string"], path).message}`);
  });
}

function keepOnly(value: Value, paths: readonly (readonly string[])[]): Value {
  if (!isObject(value)) return value;
  const entries: [string, Value][] = [];
  for (const [key, child] of Object.entries(value)) {
    const below = paths.filter((path) => path[0] === key).map((path) => path.slice(1));
    if (below.length === 0) continue;
    const deeper = below.filter((path) => path.length > 0);
    entries.push([key, deeper.length === 0 ? child : keepOnly(child, deeper)]);
  }
  return Object.fromEntries(entries);
}

function leaveOut(value: Value, paths: readonly (readonly string[])[]): Value {
  if (!isObject(value)) return value;
  const entries: [string, Value][] = [];
  for (const [key, child] of Object.entries(value)) {
    const below = paths.filter((path) => path[0] === key).map((path) => path.slice(1));
    if (below.some((path) => path.length === 0)) continue;
    entries.push([key, below.length === 0 ? child : leaveOut(child, below)]);
  }
  return Object.fromEntries(entries);
}

function collect(
  value: Value,
  path: readonly string[],
  includeEmpty: boolean,
  into: [string, Value][],
): void {
  const children = isArray(value) || isObject(value) ? Object.entries(value) : [];
  for (const [key, child] of children) collect(child, [...path, key], includeEmpty, into);
  const isContainer = isArray(value) || isObject(value);
  if (children.length > 0 || (isContainer && !includeEmpty)) return;
  into.push([path.join("."), value]);
}
