// The document that a mapping builds. A compiled mapping changes an object in place only if it has just created it. All
// other objects are shared, and copied before the first change.

import { MappingError } from "../errors.ts";
import { deleted, isObject, nothing, type Value } from "../message/value.ts";
import { setPath } from "./paths.ts";

/** An object that a compiled mapping has created and that nothing else refers to. */
export interface OpenObject {
  [key: string]: Value;
}

/** The content of a root: a value, or an object that the mapping may change in place. */
export type Draft = Exclude<Value, { readonly [key: string]: Value }> | OpenObject;

/** Returns the result of a branch's `request_map`. An unset root becomes an empty text. */
export function orEmpty(root: Value): Value {
  return root === nothing ? "" : root;
}

/**
 * A value as compiled paths read it. The type claims that every value has fields. Reading with `?.` makes that true:
 * fields of text, numbers and arrays are undefined unless their prototypes have such a property.
 */
export interface MappingFields {
  readonly [key: string]: MappingFields | null;
}

/** Returns the value for reading its fields. */
export function fieldsOf(value: Value): MappingFields | null {
  // See `MappingFields`: the claim only holds for the reads that the compiler emits.
  return value as MappingFields | null;
}

/**
 * Returns an open root with one key set. An object is copied, and an unset or null root becomes an object. Throws for
 * other values. `name` must not be an index or `-`, which have another meaning for arrays.
 */
export function withField(root: Value, name: string, value: Value): OpenObject {
  if (isObject(root)) return { ...root, [name]: value };
  return withPath(root, [name], value);
}

/** Like `withField`, for a longer path. Objects along the path are copied. */
export function withPath(root: Value, segments: readonly string[], value: Value): OpenObject {
  // Only objects accept a first segment that is not an index, and `setPath` returns a new object.
  return setPath(root, segments, value) as OpenObject;
}

/**
 * Returns an open root without one key. The root is copied, because JavaScript engines turn an object into a hash table
 * when a property is deleted. Reading, changing and printing it would then cost more than the copy.
 */
export function withoutField(root: OpenObject, name: string): OpenObject {
  if (!Object.hasOwn(root, name)) return root;
  const rest: OpenObject = {};
  for (const key in root) {
    if (key === name) continue;
    const value = root[key] ?? null;
    // Assigning to `__proto__` would change the prototype.
    if (key === "__proto__") setKey(rest, key, value);
    else rest[key] = value;
  }
  return rest;
}

/** Sets one key of an open root in place. Safe for every name. */
export function setKey(root: OpenObject, name: string, value: Value): void {
  Object.defineProperty(root, name, { value, writable: true, enumerable: true, configurable: true });
}

/** `root.name = value` on an open root, for a value that may be `deleted()` or `nothing()`. */
export function assignKey(root: OpenObject, name: string, value: Value): void {
  if (value === deleted) delete root[name];
  else if (value !== nothing) setKey(root, name, value);
}

/** Throws the error for `root` in a context that builds no message. */
export function withoutRoot(): never {
  throw new MappingError("unable to reference `root` from this context");
}

/** `root = value` for a value that may be `nothing()`. */
export function assignRoot(root: Value, value: Value): Value {
  return value === nothing ? root : value;
}
