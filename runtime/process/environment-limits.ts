// What values read from the environment have to meet besides their type.

import { splitCommas } from "../text/trim.ts";

/** A part of the values of a type; `expected` follows "is not" in the message. */
export interface Limit<T> {
  readonly expected: string;
  /** Whether `expected` follows the type of the values: `of at least 1`. */
  readonly isRange?: true;
  accepts(value: unknown): value is T;
}

/** Values that fields name one by one. */
export function oneOf<const T extends string | number>(...values: readonly T[]): Limit<T> {
  return {
    expected: values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`,
    accepts: (value): value is T => values.some((each) => each === value),
  };
}

/** Numbers from `minimum` to `maximum`, both included. */
export function between(
  minimum = Number.NEGATIVE_INFINITY,
  maximum = Number.POSITIVE_INFINITY,
): Limit<number> {
  return {
    expected: rangeOf(minimum, maximum),
    isRange: true,
    accepts: (value): value is number => typeof value === "number" && value >= minimum && value <= maximum,
  };
}

function rangeOf(minimum: number, maximum: number): string {
  if (maximum === Number.POSITIVE_INFINITY) return `of at least ${minimum}`;
  return minimum === Number.NEGATIVE_INFINITY ? `of at most ${maximum}` : `between ${minimum} and ${maximum}`;
}

/** Texts of a form, of at most `longest` bytes as UTF-8. An empty one counts as not given. */
export function matching(
  pattern: RegExp,
  expected: string,
  longest = Number.POSITIVE_INFINITY,
): Limit<string> {
  // Bytes are only counted where there may be too many: a unit of a text takes three at most.
  const isTooLong = (text: string) => text.length * 3 > longest && Buffer.byteLength(text) > longest;
  return {
    expected,
    accepts: (value): value is string =>
      typeof value === "string" && (value === "" || (!isTooLong(value) && pattern.test(value))),
  };
}

/** Texts all of whose items, between commas, are within a limit. */
export function itemsOf(limit: Limit<string>): Limit<string> {
  const list = eachOf(limit);
  return {
    expected: list.expected,
    accepts: (value): value is string => typeof value === "string" && list.accepts(splitCommas(value)),
  };
}

/** Lists all of whose items are within a limit. */
export function eachOf<T>(limit: Limit<T>): Limit<readonly T[]> {
  return {
    expected: `made of items each of which is ${limit.expected}`,
    accepts: (value): value is readonly T[] => Array.isArray(value) && value.every(limit.accepts),
  };
}
