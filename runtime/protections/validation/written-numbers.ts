// Compares numbers with those of schemas by their digits, as the receiver of a request may: to JavaScript,
// 9007199254740993 is 9007199254740992, and 0.3 is no multiple of 0.1.

import { compareDecimals, isMultipleOf, plainDecimal } from "../../text/decimals.ts";
import { textOf, writtenText } from "./judged-value.ts";

/** The place of a number in the value that is checked. */
type Place = readonly [parent: unknown, key: string | number];

/**
 * Returns a number above, below or equal to zero, as a number is above, below or equal to `bound`, which JavaScript reads
 * as the same number.
 */
export function compareWritten(value: number, bound: string, ...[parent, key]: Place): number {
  return compareDecimals(textOf(value, parent, key), bound);
}

/** Whether a number is a multiple of `divisor`, which is above zero. */
export function isMultiple(value: number, divisor: string, ...[parent, key]: Place): boolean {
  const text = textOf(value, parent, key);
  const whole = Number(divisor);
  if (Number.isSafeInteger(value) && Number.isSafeInteger(whole) && text === String(value))
    return value % whole === 0;
  return Number.isFinite(value) && isMultipleOf(text, divisor);
}

/** Whether a number is an integer of 64 bits with a sign. */
export function isInt64(value: number, ...[parent, key]: Place): boolean {
  const text = writtenText(value, parent, key);
  if (text === undefined) return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
  if (!Number.isFinite(value) || !isMultipleOf(text, "1")) return false;
  return (
    compareDecimals(text, "-9223372036854775808") >= 0 && compareDecimals(text, "9223372036854775807") <= 0
  );
}

/** Whether a number is one of `numbers`, if JavaScript reads it as one of them. */
export function isAmongWritten(value: number, numbers: readonly string[], ...place: Place): boolean {
  const same = numbers.filter((number) => Number(number) === value);
  return same.length === 0 || same.some((number) => compareWritten(value, number, ...place) === 0);
}

/** Returns a text that is the same for equal numbers, and no other JSON. */
export function identifyWritten(value: number, ...[parent, key]: Place): string {
  const text = writtenText(value, parent, key);
  return text === undefined ? String(value) : plainDecimal(text);
}
