// Decimal digits of a float64 at a given place. Rounding is of the exact value, halves to the even digit:
// `toFixed` and `toExponential` of JavaScript round halves up and stop at a hundred digits.

import { trimmedEnd } from "../text/trim.ts";

/** No float64 has more digits behind its point than this. */
const mostFraction = 1074;

/** All digits of a number that is finite and not negative: `1234.50` for 1234.5 and 2. */
export function roundedFixed(magnitude: number, places: number): string {
  const kept = Math.min(places, mostFraction);
  const digits = String(scaled(magnitude, kept)).padStart(kept + 1, "0");
  const whole = digits.slice(0, digits.length - kept);
  return places === 0 ? whole : `${whole}.${digits.slice(digits.length - kept).padEnd(places, "0")}`;
}

/** With an exponent of at least two digits: `1.23e+03` for 1234.5 and 2. */
export function roundedExponential(magnitude: number, places: number): string {
  const { digits, exponent } = significant(magnitude, places + 1);
  const fraction = digits.slice(1);
  return `${digits.charAt(0)}${fraction === "" ? "" : `.${fraction}`}${exponentText(exponent)}`;
}

/** As many digits as count, without zeros at the end, in whichever of the two forms is usual for the size. */
export function roundedShort(magnitude: number, places: number): string {
  const most = Math.max(places, 1);
  const { digits, exponent } = significant(magnitude, most);
  const counted = trimmedEnd(digits, "0");
  // Digits that end before the point do not ask for an exponent by their number.
  const limit = most > counted.length && counted.length > exponent ? counted.length : most;
  if (exponent < -4 || exponent >= limit) {
    const fraction = counted.slice(1);
    return `${counted.charAt(0) || "0"}${fraction === "" ? "" : `.${fraction}`}${exponentText(exponent)}`;
  }
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${counted}`;
  const whole = counted.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = counted.slice(exponent + 1);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** The first digits, and the power of ten of the first of them. */
function significant(magnitude: number, count: number): { digits: string; exponent: number } {
  if (magnitude === 0) return { digits: "0".repeat(count), exponent: 0 };
  const exponent = Number(magnitude.toExponential().split("e")[1]);
  const kept = Math.min(count, mostFraction);
  const digits = String(scaled(magnitude, kept - 1 - exponent));
  // Rounding up can add a digit: 9.99 becomes 10.0.
  const isLonger = digits.length > kept;
  return {
    digits: digits.slice(0, kept).padEnd(count, "0"),
    exponent: isLonger ? exponent + 1 : exponent,
  };
}

/** The number times a power of ten, rounded to a whole number. */
function scaled(magnitude: number, power: number): bigint {
  const { mantissa, exponent } = parts(magnitude);
  let numerator = mantissa * 10n ** BigInt(Math.max(power, 0));
  let denominator = 10n ** BigInt(Math.max(-power, 0));
  if (exponent >= 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  const quotient = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  const isUp = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

/** A float64 as a whole number times a power of two. */
function parts(magnitude: number): { mantissa: bigint; exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, magnitude);
  const whole = bits.getBigUint64(0);
  const biased = Number(whole >> 52n);
  const fraction = whole & 0xfffffffffffffn;
  if (biased === 0) return { mantissa: fraction, exponent: -1074 };
  return { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 };
}

function exponentText(exponent: number): string {
  return `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
