// Writes the digits of fractions as JavaScript prints them, in less time than making a text of them.

import { exactRest, halfStep, margin, powers } from "./number-text.ts";

/** The most bytes that `writeFraction` writes. */
export const longestFraction = 24;

/** Fractions from here on have no exponent in JavaScript; below, they are left to it. */
const least = 1e-3;
const most = 1e9;
const part = 1e8;

/**
 * Writes a fraction above zero into `target` from `at` on, where it must have room for `longestFraction` bytes, and
 * returns the end; -1 if the fraction is left to JavaScript.
 */
export function writeFraction(target: Uint8Array, at: number, value: number): number {
  if (!(value >= least && value < most)) return -1;
  // Most fractions are prices: scaled to an integer of 32 bits, their digits are easy to write.
  const hundredths = Math.round(value * 100);
  if (hundredths < 1e9 && hundredths / 100 === value) return writeHundredths(target, at, hundredths);
  const millionths = Math.round(value * 1e6);
  if (millionths / 1e6 === value) return writeMillionths(target, at, value | 0, millionths);
  return writeShortest(target, at, value);
}

function writeHundredths(target: Uint8Array, at: number, hundredths: number): number {
  const whole = (hundredths / 100) | 0;
  const cents = (hundredths - whole * 100) | 0;
  const dot = writeWhole(target, at, whole);
  const tenths = (cents / 10) | 0;
  target[dot] = 0x2e;
  target[dot + 1] = 0x30 + tenths;
  target[dot + 2] = 0x30 + cents - tenths * 10;
  return cents === tenths * 10 ? dot + 2 : dot + 3;
}

function writeMillionths(target: Uint8Array, at: number, whole: number, millionths: number): number {
  const dot = writeWhole(target, at, whole);
  target[dot] = 0x2e;
  writePadded(target, dot + 1, (millionths - whole * 1e6) | 0, 6);
  return withoutZeros(target, dot + 7);
}

/** Writes the shortest digits that are read as this number, the nearest ones of them. */
function writeShortest(target: Uint8Array, at: number, value: number): number {
  let whole = 0;
  while (whole < 9 && value >= (powers[whole] ?? 0)) whole++;
  let zeros = 0;
  while (value < 1 && value * (powers[zeros + 1] ?? 0) < 1) zeros++;
  // The first 17 digits as an integer, and what is left of the number: together, they are exact.
  const scale = powers[17 - whole + zeros] ?? 0;
  const product = value * scale;
  const error = -exactRest(product, value, scale);
  let high = Math.floor(product / part);
  const low = product - high * part + error;
  // Integers that are nearer than this are read as the same number.
  const bound = ((value + value * halfStep - value) / 2) * scale;
  // The last one is always near enough.
  let digits = nearest(low, 100, bound) ?? nearest(low, 10, bound) ?? nearest(low, 1, part);
  if (digits === undefined || Number.isNaN(digits)) return -1;
  if (digits < 0) {
    high -= 1;
    digits += part;
  } else if (digits >= part) {
    high += 1;
    digits -= part;
  }
  // Digits that became more or fewer than 17 by rounding are rare.
  if (high < 1e8 || high >= 1e9) return -1;
  let start = at;
  if (whole === 0) {
    target[start++] = 0x30;
    target[start++] = 0x2e;
    for (let left = zeros; left > 0; left--) target[start++] = 0x30;
    writePadded(target, start, high, 9);
  } else {
    writePadded(target, start + 1, high, 9);
    for (let index = 0; index < whole; index++) target[start + index] = target[start + index + 1] ?? 0;
    target[start + whole] = 0x2e;
    start++;
  }
  writePadded(target, start + 9, digits, 8);
  return withoutZeros(target, start + 17);
}

/**
 * Returns the multiple of `step` that is nearest to a number; `undefined` if it is not nearer than `bound`; NaN in doubt.
 */
function nearest(low: number, step: number, bound: number): number | undefined {
  const multiple = Math.round(low / step) * step;
  const distance = Math.abs(low - multiple);
  if (distance > bound * (1 + margin)) return undefined;
  return distance < bound * (1 - margin) && distance < (step / 2) * (1 - margin) ? multiple : Number.NaN;
}

/** Writes a whole number below 2^31 and returns the end. */
export function writeWhole(target: Uint8Array, at: number, whole: number): number {
  let length = 1;
  for (let limit = 10; whole >= limit; limit *= 10) length++;
  writePadded(target, at, whole, length);
  return at + length;
}

/** Writes the last `count` digits of a whole number below 2^31. */
function writePadded(target: Uint8Array, at: number, whole: number, count: number): void {
  let left = whole | 0;
  for (let place = at + count - 1; place >= at; place--) {
    const rest = (left / 10) | 0;
    target[place] = 0x30 + left - rest * 10;
    left = rest;
  }
}

function withoutZeros(target: Uint8Array, end: number): number {
  let at = end;
  while (target[at - 1] === 0x30) at--;
  return at;
}
