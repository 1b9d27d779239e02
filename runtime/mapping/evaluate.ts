// Functions for compiled expressions, where JavaScript has no operator with the same meaning.

import { MappingError } from "../errors.ts";
import { Marker, type ObjectValue, type Value } from "../message/value.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { integerArgument } from "./arguments.ts";
import { failedWithin, failureText } from "./failures.ts";
import { nativeTypeName } from "./kinds.ts";
import type { OpenObject } from "./root.ts";
import type { MappingRun } from "./run.ts";

/** Returns the value, or null if it stands for an absence: `present(a) ?? b` is `a | b`. */
export function present(value: Value): Value {
  return value instanceof Marker ? null : value;
}

/** Returns the value of a query, or null if it fails: `attempt(() => a) ?? b` is `a | b`. */
export function attempt(query: () => Value): Value {
  try {
    return present(query());
  } catch (error) {
    // A failure of the language counts as an absence. Any other error is rethrown.
    failureText(error);
    return null;
  }
}

/** Returns the value of a query. If it fails, returns the value of the fallback, which receives the error message. */
export function rescue(query: () => Value, fallback: (error: string) => Value): Value {
  try {
    return query();
  } catch (error) {
    return fallback(failureText(error));
  }
}

/** Returns the value of a query. The message of a failure begins with `prefix`. */
export function within<T>(prefix: string, query: () => T): T {
  try {
    return query();
  } catch (error) {
    throw failedWithin(prefix, error);
  }
}

/** Returns an array without the elements that stand for an absence. */
export function compactArray(elements: readonly Value[]): Value {
  return elements.filter((element) => !(element instanceof Marker));
}

/** Removes the fields of an object that stand for an absence, in place. The caller must own the object. */
export function compactObject(object: OpenObject): Value {
  for (const [key, value] of Object.entries(object)) if (value instanceof Marker) delete object[key];
  return object;
}

/** Returns a computed key of an object literal. */
export function keyOf(value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return decodeUtf8(value);
  throw new MappingError(`mapping returned invalid key type: ${nativeTypeName(value)}`);
}

/** Returns an object with one field, or without any if the value is absent. A failure names the field. */
export function entryOf(key: string, query: () => Value): ObjectValue {
  const value = within(`failed to resolve '${key}' value`, query);
  return value instanceof Marker ? {} : { [key]: value };
}

/** Runs a query on another message of the batch, at a computed index. */
export function fromIndex(run: MappingRun, index: Value, query: (run: MappingRun) => Value): Value {
  return query(run.from(integerArgument("method 'from'", "index", index)));
}
