// Compares numbers with those of schemas by their digits, as the receiver of a request may: to JavaScript,
// 9007199254740993 is 9007199254740992, and 0.3 is no multiple of 0.1.

import { textOf } from "./judged-value.ts";

/** The place of a number in the value that is checked. */
type Place = readonly [parent: unknown, key: string | number];

/**
 * Returns a number above, below or equal to zero, as a number is above, below or equal to `bound`, which JavaScript reads
 * as the same number.
 */
export function compareWritten(value: number, bound: string, ...[parent, key]: Place): number {
  const text = textOf(value, parent, key);
  return text === bound ? 0 : compare(decimalOf(text), decimalOf(bound));
}

/** Whether a number is a multiple of `divisor`, which is above zero. */
export function isMultiple(value: number, divisor: string, ...[parent, key]: Place): boolean {
  const text = textOf(value, parent, key);
  const whole = Number(divisor);
  if (Number.isSafeInteger(value) && Number.isSafeInteger(whole) && text === String(value))
    return value % whole === 0;
  const dividend = decimalOf(text);
  const unit = decimalOf(divisor);
  if (dividend.digits === "") return true;
  // Both as an integer that does not end with zero, times a power of ten.
  const shift = dividend.exponent - dividend.digits.length - (unit.exponent - unit.digits.length);
  if (shift < 0 || !Number.isFinite(value) || !Number.isFinite(shift)) return false;
  return unit.digits === "1" || isDivisible(dividend.digits, shift, BigInt(unit.digits));
}

/** Whether `digits` followed by `zeros` are a multiple of `divisor`, in time linear in their number. */
function isDivisible(digits: string, zeros: number, divisor: bigint): boolean {
  let rest = 0n;
  for (let start = 0; start < digits.length; start += partLength) {
    const part = digits.slice(start, start + partLength);
    rest = (rest * 10n ** BigInt(part.length) + BigInt(part)) % divisor;
  }
  return (rest * 10n ** BigInt(zeros)) % divisor === 0n;
}

const partLength = 15;

/** Whether a number is one of `numbers`, if JavaScript reads it as one of them. */
export function isAmongWritten(value: number, numbers: readonly string[], ...place: Place): boolean {
  const same = numbers.filter((number) => Number(number) === value);
  return same.length === 0 || same.some((number) => compareWritten(value, number, ...place) === 0);
}

/** A decimal number: `0.digits` times ten to the power of `exponent`. Digits neither begin nor end with zero. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(text: string): Decimal {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const isNegative = mantissa.startsWith("-");
  const [whole = "", fraction = ""] = mantissa.slice(isNegative ? 1 : 0).split(".");
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === "0") start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === "0") end--;
  if (start === end) return { isNegative: false, digits: "", exponent: Number.NEGATIVE_INFINITY };
  return { isNegative, digits: digits.slice(start, end), exponent: whole.length - start + Number(exponent) };
}

function compare(one: Decimal, other: Decimal): number {
  if (one.isNegative !== other.isNegative) return one.isNegative ? -1 : 1;
  const sign = one.isNegative ? -1 : 1;
  if (one.exponent !== other.exponent) return one.exponent < other.exponent ? -sign : sign;
  if (one.digits === other.digits) return 0;
  return one.digits < other.digits ? -sign : sign;
}
