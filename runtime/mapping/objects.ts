// Methods on objects, and those that go by paths.

import { sortedKeys } from "../message/json-print.ts";
import { isArray, isObject, nothing, type ObjectValue, type Value } from "../message/value.ts";
import { boolArgument, objectTarget, textArgument } from "./arguments.ts";
import type { Query } from "./arrays.ts";
import { failedOn, failureText, wrongType } from "./failures.ts";
import { typeName } from "./kinds.ts";
import { formatPath, getPath, parsePath, put, resolve } from "./paths.ts";
import { textOf } from "./text.ts";

/** `.get(path)` */
export function get(target: Value, _from: string, path: Value): Value {
  return getPath(target, textArgument("method 'get'", "path", path));
}

/** `.set(path, value)` */
export function setAt(target: Value, from: string, path: Value, value: Value): Value {
  const segments = parsePath(textArgument("method 'set'", "path", path));
  try {
    return put(target ?? {}, segments, 0, value);
  } catch (error) {
    throw failedOn(from, failureText(error));
  }
}

/** `.exists(path)`: a null that stands there exists. */
export function exists(target: Value, _from: string, path: Value): boolean {
  return resolve(target, parsePath(textArgument("method 'exists'", "path", path))) !== undefined;
}

/** `.keys()` */
export function keys(target: Value, from: string): readonly Value[] {
  return sortedKeys(objectTarget(target, from));
}

/** `.values()`; the reference gives them in no order, here it is that of the keys. */
export function values(target: Value, from: string): readonly Value[] {
  const object = objectTarget(target, from);
  return sortedKeys(object).map((key) => object[key] ?? null);
}

/** `.key_values()`, ordered as `.values()` is. */
export function keyValues(target: Value, from: string): readonly Value[] {
  const object = objectTarget(target, from);
  return sortedKeys(object).map((key) => ({ key, value: object[key] ?? null }));
}

/** `.map_each_key(query)`: `nothing()` keeps the key. */
export function mapEachKey(target: Value, from: string, query: Query): ObjectValue {
  const object = objectTarget(target, from);
  const entries = sortedKeys(object).map((key): [string, Value] => {
    const mapped = query(key);
    if (mapped === nothing) return [key, object[key] ?? null];
    if (typeof mapped !== "string" && !(mapped instanceof Uint8Array)) {
      throw failedOn(from, wrongType("", ["string"], mapped).message);
    }
    return [textOf(mapped), object[key] ?? null];
  });
  return Object.fromEntries(entries);
}

/** `.with("a", "b.c")`: only what stands at the paths; arrays on the way are gone through. */
export function withPaths(target: Value, _from: string, ...paths: readonly Value[]): Value {
  return keepOnly(objectTarget(target, ""), pathArguments("with", paths));
}

/** `.without("a", "b.c")` */
export function withoutPaths(target: Value, from: string, ...paths: readonly Value[]): Value {
  return leaveOut(objectTarget(target, from), pathArguments("without", paths));
}

/** `.collapse(include_empty)`: `{"a":{"b":1}}` gives `{"a.b":1}`. */
export function collapse(target: Value, from: string, includeEmpty: Value): ObjectValue {
  if (!isObject(target) && !isArray(target)) throw wrongType(from, ["object", "array"], target);
  const entries: [string, Value][] = [];
  collect(target, [], boolArgument("method 'collapse'", "include_empty", includeEmpty), entries);
  return Object.fromEntries(entries);
}

/** `.explode(path)`: an array or object of copies, each with one element of what stands there. */
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

function pathArguments(name: string, paths: readonly Value[]): readonly (readonly string[])[] {
  return paths.map((path) => parsePath(textArgument(`method '${name}'`, "path", path)));
}

function keepOnly(value: Value, paths: readonly (readonly string[])[]): Value {
  if (isArray(value)) return value.map((element) => keepOnly(element, paths));
  if (!isObject(value)) return value;
  const entries: [string, Value][] = [];
  for (const [key, child] of Object.entries(value)) {
    const below = paths.filter((path) => path[0] === key).map((path) => path.slice(1));
    if (below.length === 0) continue;
    if (below.some((path) => path.length === 0)) entries.push([key, child]);
    else if (isObject(child) || isArray(child)) entries.push([key, keepOnly(child, below)]);
  }
  return Object.fromEntries(entries);
}

function leaveOut(value: Value, paths: readonly (readonly string[])[]): Value {
  if (isArray(value)) return value.map((element) => leaveOut(element, paths));
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
  if (children.length > 0 || path.length === 0 || (isContainer && !includeEmpty)) return;
  into.push([formatPath(path), value]);
}
