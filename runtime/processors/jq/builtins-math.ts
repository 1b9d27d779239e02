// jq functions on numbers.

import { type Builtins, plain } from "./builtin.ts";
import { unfit } from "./builtins-values.ts";
import { isNumeric, type JqValue } from "./values.ts";

const ofOne: Readonly<Record<string, (x: number) => number>> = {
  ...Object.fromEntries(
    (
      [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
      ] as const
    ).map((name) => [name, Math[name]]),
  ),
  floor: Math.floor,
  round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  nearbyint: roundedToEven,
  rint: roundedToEven,
  ceil: Math.ceil,
  trunc: Math.trunc,
  significand: (x) => (Number.isFinite(x) && x !== 0 ? fractionOf(x)[0] * 2 : x),
  fabs: Math.abs,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  exp: Math.exp,
  exp10: (x) => 10 ** x,
  exp2: (x) => 2 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log10: Math.log10,
  log1p: Math.log1p,
  log2: Math.log2,
  logb: (x) => (x === 0 ? Number.NEGATIVE_INFINITY : Number.isFinite(x) ? fractionOf(x)[1] - 1 : Math.abs(x)),
  gamma,
  tgamma: gamma,
  lgamma: logGamma,
};

const ofTwo: Readonly<Record<string, (x: number, y: number) => number>> = {
  atan2: Math.atan2,
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
  drem: remainder,
  fdim: (x, y) => (x > y ? x - y : Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : 0),
  fmax: (x, y) => (Number.isNaN(x) ? x : Number.isNaN(y) ? y : Math.max(x, y)),
  fmin: (x, y) => (Number.isNaN(x) ? x : Number.isNaN(y) ? y : Math.min(x, y)),
  fmod: (x, y) => x % y,
  hypot: Math.hypot,
  ldexp: scaled,
  scalb: scaled,
  scalbln: scaled,
  pow: (x, y) => x ** y,
  remainder,
};

/** Functions by `name/arguments`. */
export const mathBuiltins: Builtins = {
  ...Object.fromEntries(
    Object.entries(ofOne).map(([name, work]) => [`${name}/0`, plain((input) => work(numberOf(name, input)))]),
  ),
  ...Object.fromEntries(
    Object.entries(ofTwo).map(([name, work]) => [
      `${name}/2`,
      plain((_, [x = null, y = null]) => work(numberOf(name, x), numberOf(name, y))),
    ]),
  ),
  "fma/3": plain(
    (_, [x = null, y = null, z = null]) => numberOf("fma", x) * numberOf("fma", y) + numberOf("fma", z),
  ),
  "abs/0": plain((input) => {
    if (!isNumeric(input)) throw unfit("abs", input);
    return input < 0 ? -input : input;
  }),
  "frexp/0": plain((input) => [...fractionOf(numberOf("frexp", input))]),
  "modf/0": plain((input) => {
    const x = numberOf("modf", input);
    return [Number.isFinite(x) ? x % 1 : Number.NaN, Math.trunc(x)];
  }),
  "infinite/0": plain(() => Number.POSITIVE_INFINITY),
  "nan/0": plain(() => Number.NaN),
  "isinfinite/0": plain((input) => isNumeric(input) && Math.abs(Number(input)) === Number.POSITIVE_INFINITY),
  "isfinite/0": plain((input) => isNumeric(input) && Math.abs(Number(input)) !== Number.POSITIVE_INFINITY),
  "isnan/0": plain((input) => input !== null && Number.isNaN(numberOf("isnan", input))),
  "isnormal/0": plain((input) => isNumeric(input) && isNormal(Number(input))),
};

/** Whether a number is not zero, infinite, or so small that it loses digits. */
export function isNormal(x: number): boolean {
  return Number.isFinite(x) && Math.abs(x) >= 2.2250738585072014e-308;
}

function numberOf(name: string, value: JqValue): number {
  if (!isNumeric(value)) throw unfit(name, value);
  return Number(value);
}

function roundedToEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Returns a fraction from 0.5 to 1, and the power of two by which to multiply it to get the number. */
function fractionOf(x: number): readonly [fraction: number, power: number] {
  if (x === 0 || !Number.isFinite(x)) return [x, 0];
  let power = Math.max(-1023, Math.floor(Math.log2(Math.abs(x))) + 1);
  let fraction = x * 2 ** -power;
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2;
    power--;
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2;
    power++;
  }
  return [fraction, power];
}

/** Multiplies by a power of two, in two steps because the power alone may be out of range. */
function scaled(x: number, power: number): number {
  const whole = Math.max(-2200, Math.min(2200, Math.trunc(power)));
  const half = Math.trunc(whole / 2);
  return x * 2 ** half * 2 ** (whole - half);
}

/** Returns the remainder of a division that rounds to the nearest whole number, ties to even. */
function remainder(x: number, y: number): number {
  if (!Number.isFinite(x) || Number.isNaN(y) || y === 0) return Number.NaN;
  if (!Number.isFinite(y)) return x;
  const divisor = Math.abs(y);
  const rest = Math.abs(x) % divisor;
  const isOdd = Math.trunc(Math.abs(x) / divisor) % 2 === 1;
  const nearest = rest * 2 > divisor || (rest * 2 === divisor && isOdd) ? rest - divisor : rest;
  return Math.sign(x) * nearest;
}

/** The coefficients of the Lanczos approximation for g = 7. */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function gamma(x: number): number {
  if (Number.isInteger(x)) {
    if (x <= 0) return Number.NaN;
    if (x > 171) return Number.POSITIVE_INFINITY;
    let product = 1;
    for (let factor = 2; factor < x; factor++) product *= factor;
    return product;
  }
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  return Math.exp(logGamma(x));
}

function logGamma(x: number): number {
  if (Number.isInteger(x) && x <= 0) return Number.POSITIVE_INFINITY;
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
  const shifted = x - 1;
  const sum = lanczos.reduce(
    (total, each, index) => total + (index === 0 ? each : each / (shifted + index)),
    0,
  );
  const base = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(base) - base + Math.log(sum);
}
