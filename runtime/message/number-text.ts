// Which texts of numbers JavaScript prints as they were written.

const validNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/** Whether the text of a number says more than the JavaScript number. Returns false if `token` is not a number. */
export function isSpecial(token: string): boolean {
  const value = Number(token);
  if (Number.isSafeInteger(value)) return String(value) !== token && validNumber.test(token);
  const magnitude = Math.abs(value);
  const plain = magnitude >= 1e-4 && magnitude < 1e6 && !Number.isInteger(value) && String(value) === token;
  return !plain && validNumber.test(token);
}

/**
 * Whether a valid fraction without sign and exponent, from `start` to `end` with its point at `dot`, is special.
 * The last digit must not be zero.
 */
export function isSpecialFraction(text: string, start: number, dot: number, end: number): boolean {
  const isUsual = dot - start <= 6 && !text.startsWith("0.000", dot - 1);
  // JavaScript keeps every number of up to fifteen digits.
  const digits = end - start - (text.charCodeAt(start) === zero ? 2 : 1);
  if (isUsual && (digits <= 15 || isShortest(text, start, end - dot - 1, end))) return false;
  return isSpecial(text.slice(start, end));
}

/** Half of the distance between two numbers, and a bit more, as a part of the lower one. */
export const halfStep = 2 ** -53 * (1 + 2 ** -52);
/** What is nearer to a bound than this part of it is left to the exact check. */
export const margin = 1e-6;
/** Multiplying by it splits a number into two halves of its digits. */
const splitter = 2 ** 27 + 1;
/** The powers of ten that are exact. */
export const powers = /* @__PURE__ */ Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * Whether a fraction of up to 17 digits surely is what JavaScript prints for its number: the shortest text that is read
 * as this number, and of these the nearest. Returns false in doubt. Takes a third of the time of reading and printing
 * the number. `decimals`: the number of digits behind the point.
 */
function isShortest(text: string, start: number, decimals: number, end: number): boolean {
  // The digits as an integer: nine of them, and up to eight more.
  let at = start;
  while (text.charCodeAt(at) === zero || text.charCodeAt(at) === point) at++;
  let head = 0;
  for (let left = 9; left > 0 && at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === point) continue;
    head = head * 10 + code - zero;
    left--;
  }
  let tail = 0;
  let count = 0;
  let last = 0;
  for (; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === point) continue;
    last = code - zero;
    tail = tail * 10 + last;
    count++;
  }
  const scale = powers[decimals];
  const shift = powers[count];
  if (scale === undefined || shift === undefined || count === 0 || count > 8) return false;
  // This product is exact: without its powers of two, it is below 2^49.
  const high = head * shift;
  const integer = high + tail;
  const low = tail - (integer - high);
  // The number, and how far the text is from it: a division with its remainder.
  const quotient = integer / scale;
  const rest = (exactRest(integer, quotient, scale) + low) / scale;
  const value = quotient + rest;
  const offset = rest - (value - quotient);
  // Texts up to `bound` away are read as the same number.
  const bound = (value + value * halfStep - value) / 2;
  const beyond = bound * (1 + margin);
  return (
    Math.abs(offset) < bound * (1 - margin) &&
    Math.abs(offset) * 2 * scale < 1 - margin &&
    last / scale - offset > beyond &&
    (10 - last) / scale + offset > beyond
  );
}

/** Returns `dividend - quotient * divisor` without rounding the product. The quotient must be that of the division. */
export function exactRest(dividend: number, quotient: number, divisor: number): number {
  const product = quotient * divisor;
  const first = upperHalf(quotient);
  const second = upperHalf(divisor);
  const rest = quotient - first;
  const other = divisor - second;
  const error = first * second - product + first * other + rest * second + rest * other;
  return dividend - product - error;
}

function upperHalf(value: number): number {
  const scaled = value * splitter;
  return scaled - (scaled - value);
}

const [zero, point] = [0x30, 0x2e];
