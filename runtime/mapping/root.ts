// The document a mapping builds. Compiled mappings change an object in place only where they have just made
// it; everything else is shared and copied before the first change.

import { MappingError } from "../errors.ts";
import { deleted, isObject, nothing, type Value } from "../message/value.ts";
import { setPath } from "./paths.ts";

/** An object that one compiled mapping has created, without other references. */
export interface OpenObject {
  [key: string]: Value;
}

/** What a root holds: a value, or the object it was opened as. */
export type Draft = Exclude<Value, { readonly [key: string]: Value }> | OpenObject;

/** What the `request_map` of a branch has built: of a message that is empty before. */
export function orEmpty(root: Value): Value {
  return root === nothing ? "" : root;
}

/**
 * A value as compiled paths read it. It claims that every value has fields, which reading with `?.` makes
 * true: fields of text, numbers and arrays that are not properties of their prototypes are undefined.
 */
export interface MappingFields {
  readonly [key: string]: MappingFields | null;
}

/** The value, for reading fields of. */
export function fieldsOf(value: Value): MappingFields | null {
  // See `Fields`: the claim holds for the reads the compiler emits, and only for those.
  return value as MappingFields | null;
}

/**
 * A root of its own with one key set: an object is copied, an unset or null root becomes one. Other values
 * fail. `name` is not an index and not `-`, which mean something else on arrays.
 */
export function withField(root: Value, name: string, value: Value): OpenObject {
  if (isObject(root)) return { ...root, [name]: value };
  return withPath(root, [name], value);
}

/** As `withField`, for a longer path; objects along it are copied. */
export function withPath(root: Value, segments: readonly string[], value: Value): OpenObject {
  // Only objects take a first segment that is not an index, and `setPath` makes a new one.
  return setPath(root, segments, value) as OpenObject;
}

/**
 * An open root without one key. A copy, since an object that had a property deleted is a hash table to the
 * engine from then on: slower to read, to change and to print than copying it took.
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

/** Sets one key of an open root in place, whatever the key is called. */
export function setKey(root: OpenObject, name: string, value: Value): void {
  Object.defineProperty(root, name, { value, writable: true, enumerable: true, configurable: true });
}

/** `root.name = value` on an open root, for a value that can mean to delete or to skip. */
export function assignKey(root: OpenObject, name: string, value: Value): void {
  if (value === deleted) delete root[name];
  else if (value !== nothing) setKey(root, name, value);
}

/** `root` where no message is built. */
export function withoutRoot(): never {
  throw new MappingError("unable to reference `root` from this context");
}

/** `root = value` for a value that can mean to skip. */
export function assignRoot(root: Value, value: Value): Value {
  return value === nothing ? root : value;
}
