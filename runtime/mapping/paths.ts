// Reads, sets and deletes parts of values. Values are immutable: writers return a new one.

import { MappingError } from "../errors.ts";
import { deleted, isArray, isObject, nothing, type ObjectValue, type Value } from "../message/value.ts";
import { failureText } from "./failures.ts";
import { typeName } from "./kinds.ts";

const indexText = /^[+-]?[0-9]+$/;

/**
 * Returns `value.name`, or null instead of failing. For objects, only own properties count. For arrays, `name` is an
 * index, or `*` for all elements. If a path continues after a `*`, call `path` with all segments.
 */
export function field(value: Value, name: string): Value {
  if (isObject(value)) return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
  return isArray(value) ? (resolve(value, [name], 0) ?? null) : null;
}

/** Returns `value.a.b.c`; null if the path does not resolve. */
export function path(value: Value, segments: readonly string[]): Value {
  return resolve(value, segments, 0) ?? null;
}

/** Returns the value at a path, which may be null; `undefined` if there is none. */
export function resolve(value: Value, segments: readonly string[], from = 0): Value | undefined {
  let current: Value | undefined = value;
  for (let at = from; at < segments.length; at++) {
    const segment = segments[at] ?? "";
    if (isObject(current)) {
      if (!Object.hasOwn(current, segment)) return undefined;
      current = current[segment];
    } else if (!isArray(current)) {
      return undefined;
    } else if (segment === "*") {
      return resolveEach(current, segments, at + 1);
    } else {
      current = current[elementIndex(current, segment)];
    }
    if (current === undefined) return undefined;
  }
  return current;
}

/** `getPath(value, "a.b.c")`: the path is a text in which `~1` is a dot and `~0` a tilde. */
export function getPath(value: Value, text: string): Value {
  return path(value, parsePath(text));
}

/** Returns the segments of a dot path: `a` and `b.c` for `a.b~1c`. */
export function parsePath(text: string): string[] {
  const segments = text.split(".");
  if (!text.includes("~")) return segments;
  return segments.map((segment) => segment.replaceAll("~1", ".").replaceAll("~0", "~"));
}

/** Returns the dot path of segments, the inverse of `parsePath`. */
export function formatPath(segments: readonly string[]): string {
  return segments.map((segment) => segment.replaceAll("~", "~0").replaceAll(".", "~1")).join(".");
}

/**
 * Returns the root after `root.a.b = value`. Missing and null parents become objects; `-` appends to an array. Without
 * segments, the value is the new root. The caller handles `deleted()` and `nothing()`.
 */
export function setPath(root: Value, segments: readonly string[], value: Value): Value {
  const start = root === nothing || root === null ? {} : root;
  try {
    return put(start, segments, 0, value);
  } catch (error) {
    throw new MappingError(refusal(start, segments, failureText(error)));
  }
}

/** Returns the root after `root.a.b = deleted()`. A path that does not resolve changes nothing. */
export function deletePath(root: Value, segments: readonly string[]): Value {
  return root === nothing || root === null ? {} : remove(root, segments, 0);
}

/** Returns the root after `root.a.b = value` for any value: `deleted()` deletes, `nothing()` changes nothing. */
export function assignPath(root: Value, segments: readonly string[], value: Value): Value {
  if (value === nothing) return root;
  if (segments.length === 0) return value;
  return value === deleted ? deletePath(root, segments) : setPath(root, segments, value);
}

/** Returns `value` with `replacement` at a path. Throws a `MappingError` that only has the reason if that fails. */
export function put(value: Value, segments: readonly string[], at: number, replacement: Value): Value {
  if (at === segments.length) return replacement;
  const segment = segments[at] ?? "";
  if (isObject(value)) {
    const child = Object.hasOwn(value, segment) ? value[segment] : undefined;
    return withKey(value, segment, put(child ?? {}, segments, at + 1, replacement));
  }
  if (!isArray(value)) throw new MappingError("encountered value collision whilst building path");
  if (segment === "-") return [...value, put({}, segments, at + 1, replacement)];
  const index = existingIndex(value, segment, at);
  const child = value[index] ?? null;
  if (child === null && at < segments.length - 1) {
    throw new MappingError(`failed to resolve path segment '${at}': field '${segment}' was not found`);
  }
  return value.with(index, put(child, segments, at + 1, replacement));
}

/** Returns the object with one key added or replaced. */
export function withKey(object: ObjectValue, key: string, value: Value): ObjectValue {
  return { ...object, [key]: value };
}

function remove(value: Value, segments: readonly string[], at: number): Value {
  const segment = segments[at] ?? "";
  const last = at === segments.length - 1;
  if (isObject(value)) {
    if (!Object.hasOwn(value, segment)) return value;
    const { [segment]: child = null, ...rest } = value;
    return last ? rest : withKey(value, segment, remove(child, segments, at + 1));
  }
  if (!isArray(value)) return value;
  const index = elementIndex(value, segment);
  const child = value[index];
  if (child === undefined) return value;
  return last ? value.toSpliced(index, 1) : value.with(index, remove(child, segments, at + 1));
}

function resolveEach(elements: readonly Value[], segments: readonly string[], at: number): Value | undefined {
  if (at === segments.length) return elements.length === 0 ? undefined : elements;
  const found = elements
    .map((element) => resolve(element, segments, at))
    .filter((element) => element !== undefined);
  return found.length === 0 ? undefined : found;
}

/** Returns the index that a segment names; -1 if it names no existing element. */
function elementIndex(elements: readonly Value[], segment: string): number {
  const index = indexText.test(segment) ? Number(segment) : -1;
  return index >= 0 && index < elements.length ? index : -1;
}

function existingIndex(elements: readonly Value[], segment: string, at: number): number {
  if (!indexText.test(segment)) {
    const found = `failed to resolve path segment '${at}': found array but segment value '${segment}'`;
    throw new MappingError(
      `${found} could not be parsed into array index: strconv.Atoi: parsing "${segment}": invalid syntax`,
      `${found} is not an index`,
    );
  }
  const index = elementIndex(elements, segment);
  if (index >= 0) return index;
  const isBeyond = Number(segment) >= 0;
  const reason = isBeyond ? `exceeded target array size of '${elements.length}'` : "is invalid";
  throw new MappingError(
    `failed to resolve path segment '${at}': found array but index '${segment}' ${reason}`,
  );
}

/** Returns why a path cannot be set: the first value on the path that cannot have children, otherwise `reason`. */
function refusal(root: Value, segments: readonly string[], reason: string): string {
  const target = `unable to set target path ${formatPath(segments)}`;
  for (let length = 0; length < segments.length; length++) {
    const value = path(root, segments.slice(0, length));
    if (value === null || isObject(value) || isArray(value)) continue;
    const place = length === 0 ? "the root" : formatPath(segments.slice(0, length));
    return `${target} as the value of ${place} was a non-object type (${typeName(value)})`;
  }
  return `${target}: ${reason}`;
}
