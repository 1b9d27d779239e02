// Compares numbers by their decimal digits: JavaScript reads different texts as one number, and its quotients are rounded.

/** A decimal number: `0.digits` times ten to the power of `exponent`. Digits neither begin nor end with zero. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** Returns a number above, below or equal to zero, as the number `one` is above, below or equal to `other`. */
export function compareDecimals(one: string, other: string): number {
  return one === other ? 0 : compare(decimalOf(one), decimalOf(other));
}

/** Returns a text that is the same for all texts of a number. */
export function plainDecimal(text: string): string {
  const { isNegative, digits, exponent } = decimalOf(text);
  return `${isNegative ? "-" : ""}${digits}e${exponent}`;
}

/** Whether a number that is finite in JavaScript is a whole multiple of another; none is a multiple of 0. */
export function isMultipleOf(text: string, divisor: string): boolean {
  const unit = decimalOf(divisor);
  if (unit.digits === "") return false;
  const { digits, exponent } = decimalOf(text);
  if (digits === "") return true;
  // Both as an integer that does not end with zero, times a power of ten.
  const shift = exponent - digits.length - (unit.exponent - unit.digits.length);
  return shift >= 0 && (unit.digits === "1" || isDivisible(digits, shift, BigInt(unit.digits)));
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
