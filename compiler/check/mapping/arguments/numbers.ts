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

/** An argument of an integer parameter: fractions are cut off. */
export function wholeArgument(value: ConstantValue | undefined): bigint | undefined {
  if (value === undefined || !isNumeric(value)) return undefined;
  return typeof value === "bigint" ? value : BigInt(Math.trunc(value.value));
}
