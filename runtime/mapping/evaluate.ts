// What compiled expressions use where JavaScript has nothing of the same meaning.

import { MappingError } from "../errors.ts";
import { Marker, type ObjectValue, type Value } from "../message/value.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { failedWithin, failureText, wrongType } from "./failures.ts";
import { nativeTypeName } from "./kinds.ts";
import { numeric, truncate } from "./numeric.ts";
import type { OpenObject } from "./root.ts";
import type { MappingRun } from "./run.ts";

/** The value, or null where it means an absence: `present(a) ?? b` is `a | b`. */
export function present(value: Value): Value {
  return value instanceof Marker ? null : value;
}

/** The value of a query that may fail, or null: `attempt(() => a) ?? b` is `a | b`. */
export function attempt(query: () => Value): Value {
  try {
    return present(query());
  } catch (error) {
    // A failure of the language counts as an absence; every other one is thrown again.
    failureText(error);
    return null;
  }
}

/** The value of a query, or of the fallback, which gets the error text, where it fails. */
export function rescue(query: () => Value, fallback: (error: string) => Value): Value {
  try {
    return query();
  } catch (error) {
    return fallback(failureText(error));
  }
}

/** The value of a query; a failure is led by `prefix`. */
export function within<T>(prefix: string, query: () => T): T {
  try {
    return query();
  } catch (error) {
    throw failedWithin(prefix, error);
  }
}

/** An array without the elements that mean an absence. */
export function compactArray(elements: readonly Value[]): Value {
  return elements.filter((element) => !(element instanceof Marker));
}

/** An object without the values that mean an absence. It must be the caller's own. */
export function compactObject(object: OpenObject): Value {
  for (const [key, value] of Object.entries(object)) if (value instanceof Marker) delete object[key];
  return object;
}

/** A computed key of an object literal. */
export function keyOf(value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return decodeUtf8(value);
  throw new MappingError(`mapping returned invalid key type: ${nativeTypeName(value)}`);
}

/** An object of one field, whose failure names it. */
export function entryOf(key: string, query: () => Value): ObjectValue {
  return { [key]: within(`failed to resolve '${key}' value`, query) };
}

/** A query on another message of the batch, whose index is computed. */
export function fromIndex(run: MappingRun, index: Value, query: (run: MappingRun) => Value): Value {
  const number = numeric(index);
  if (number === undefined) {
    throw failedWithin(
      "method 'from': failed to extract input arg 'index'",
      wrongType("", ["number"], index),
    );
  }
  return query(run.from(Number(truncate(number))));
}
