// The limits that values from the environment must meet in addition to their type.

import { splitCommas } from "../text/trim.ts";

/** A subset of the values of a type; in messages, `expected` follows "is not". */
export interface EnvironmentLimit<T> {
  readonly expected: string;
  /** Whether `expected` follows the name of the type, such as `of at least 1`. */
  readonly isRange?: true;
  accepts(value: unknown): value is T;
}

/** Returns a limit that accepts only the listed values. */
export function oneOf<const T extends string | number>(...values: readonly T[]): EnvironmentLimit<T> {
  return {
    expected: values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`,
    accepts: (value): value is T => values.some((each) => each === value),
  };
}

/** Returns a limit that accepts numbers from `minimum` to `maximum`, both inclusive. */
export function between(
  minimum = Number.NEGATIVE_INFINITY,
  maximum = Number.POSITIVE_INFINITY,
): EnvironmentLimit<number> {
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

/**
 * Returns a limit that accepts texts that match `pattern`, of at most `longest` bytes in UTF-8. An empty text counts
 * as not set.
 */
export function matching(
  pattern: RegExp,
  expected: string,
  longest = Number.POSITIVE_INFINITY,
): EnvironmentLimit<string> {
  // Counts bytes only if the limit may be exceeded: a UTF-16 code unit takes at most three bytes.
  const isTooLong = (text: string) => text.length * 3 > longest && Buffer.byteLength(text) > longest;
  return {
    expected,
    accepts: (value): value is string =>
      typeof value === "string" && (value === "" || (!isTooLong(value) && pattern.test(value))),
  };
}

/** Returns a limit for comma-separated texts whose items are all within `limit`. */
export function itemsOf(limit: EnvironmentLimit<string>): EnvironmentLimit<string> {
  const list = eachOf(limit);
  return {
    expected: list.expected,
    accepts: (value): value is string => typeof value === "string" && list.accepts(splitCommas(value)),
  };
}

/** Returns a limit for lists whose items are all within `limit`. */
export function eachOf<T>(limit: EnvironmentLimit<T>): EnvironmentLimit<readonly T[]> {
  return {
    expected: `made of items each of which is ${limit.expected}`,
    accepts: (value): value is readonly T[] => Array.isArray(value) && value.every(limit.accepts),
  };
}
