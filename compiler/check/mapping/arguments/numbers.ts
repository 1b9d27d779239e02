// Ranges and bounds of numeric arguments. In come known arguments, out comes why they never work.

import type { KnownArguments } from "../constant.ts";
import { type ConstantValue, isNumeric } from "../constant.ts";

/** `range(start, stop, step)` */
export function checkRange([from, to, by]: KnownArguments): string | undefined {
  const [start, stop, step] = [wholeArgument(from), wholeArgument(to), wholeArgument(by)];
  if (start === undefined || stop === undefined || step === undefined) return undefined;
  if (step === 0n) return "step must be greater than or less than 0";
  if (step < 0n && stop > start) return `with negative step arg stop (${stop}) must be <= start (${start})`;
  if (step > 0n && start >= stop) return `with positive step arg start (${start}) must be < stop (${stop})`;
  return undefined;
}

/** `.parse_big_decimal(scale)` */
export function checkDecimalScale([scale]: KnownArguments): string | undefined {
  const value = wholeArgument(scale);
  if (value === undefined || (value >= 0n && value <= 16383n)) return undefined;
  return `scale must be between 0 and 16383, got ${value}`;
}

/** `bytes(length)` */
export function checkLength([length]: KnownArguments): string | undefined {
  const value = wholeArgument(length);
  return value !== undefined && value < 0n ? `bytes length must be positive, got ${value}` : undefined;
}

/** `.slice(low, high)`: bounds from the start that hold nothing between them. */
export function checkSlice([low, high]: KnownArguments): string | undefined {
  const [first, last] = [wholeArgument(low), wholeArgument(high)];
  if (first === undefined || last === undefined || last <= 0n || first < last) return undefined;
  return `lower slice bound ${first} must be lower than upper (${last})`;
}

/** `.replace_all_many([old, new, …])` */
export function checkPairs([values]: KnownArguments): string | undefined {
  if (typeof values !== "object" || values === null || values.kind !== "array") return undefined;
  const { items } = values;
  if (items.length % 2 === 0) return undefined;
  const shown = items.map((item) => (typeof item === "string" ? item : String(item)));
  return `invalid arg, replacements should be in pairs and must therefore be even: [${shown.join(" ")}]`;
}

/** An argument of an integer parameter: fractions are cut off. */
export function wholeArgument(value: ConstantValue | undefined): bigint | undefined {
  if (value === undefined || !isNumeric(value)) return undefined;
  return typeof value === "bigint" ? value : BigInt(Math.trunc(value.value));
}
