// Formats one value with one verb of `.format(…)`, by the rules of Go's `fmt`.

import {
  deleted,
  isArray,
  isObject,
  nothing,
  SizedNumber,
  SourceNumber,
  Timestamp,
  Unsigned,
  type Value,
} from "../message/value.ts";
import { trimmedEnd } from "../text/trim.ts";
import { quote } from "./escapes.ts";
import { nativeTypeName } from "./kinds.ts";
import { isFloat, numeric, toBigInt, toFloat } from "./numeric.ts";
import { bytesOf, formatFloat, formatFloat32, textOf } from "./text.ts";
import { formatTime } from "./time-layouts.ts";

/** A parsed verb, such as `%-8.3f`. */
export interface Verb {
  readonly plus: boolean;
  readonly minus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly letter: string;
}

/** The verb `%v`. */
export const plain: Verb = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
  letter: "v",
};

/** Returns the value formatted with the verb, or `%!d(string=a)` if the verb does not support the value. */
export function writtenBy(verb: Verb, value: Value): string {
  if (verb.letter === "T") return padded(cut(nativeTypeName(value), verb), verb);
  if (value === null) return verb.letter === "v" ? padded("<nil>", verb) : `%!${verb.letter}(<nil>)`;
  // `+` makes `v` print the field names of Go structs, which do not occur in mappings. Only `#` has an effect.
  if (verb.letter === "v" && verb.sharp) return sourceForm(value, verb);
  const isSigned = verb.plus && verb.letter !== "v";
  return written(value, { ...verb, plus: isSigned }) ?? misfit(value, verb);
}

/** Returns the value formatted with `%v`. */
export function writtenPlainly(value: Value): string {
  return writtenBy(plain, value);
}

function written(value: Value, verb: Verb): string | undefined {
  if (value === deleted || value === nothing) return writtenAbsent(verb);
  if (typeof value === "boolean") return "tv".includes(verb.letter) ? padded(String(value), verb) : undefined;
  if (value instanceof SourceNumber || typeof value === "string") return writtenText(textOf(value), verb);
  if (value instanceof Uint8Array && "sxXq".includes(verb.letter)) return writtenText(value, verb);
  if (value instanceof Uint8Array) {
    return `[${Array.from(value, (byte) => written(byte, verb) ?? misfit(byte, verb, "uint8")).join(" ")}]`;
  }
  if (isArray(value)) return `[${value.map((each) => element(each, verb)).join(" ")}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `map[${keys.map((key) => `${element(key, verb)}:${element(value[key] ?? null, verb)}`).join(" ")}]`;
  }
  if (value instanceof Timestamp) return writtenText(formatTime(value, timeLayout), verb);
  const number = numeric(value);
  if (number === undefined) return writtenText(textOf(value), verb);
  return isFloat(number)
    ? writtenFloat(value, toFloat(number), verb)
    : writtenInteger(toBigInt(number), verb);
}

/** How Go formats a time by default. */
export const timeLayout = "2006-01-02 15:04:05.999999999 -0700 MST";

/** Elements are formatted with the verb of the array or object. A null element is never padded. */
function element(value: Value, verb: Verb): string {
  return value === null ? "<nil>" : (written(value, verb) ?? misfit(value, verb));
}

/** In Go, `deleted()` and `nothing()` are null pointers. */
function writtenAbsent(verb: Verb): string | undefined {
  if (verb.letter === "v") return padded("<nil>", verb);
  if (verb.letter === "p") return padded(verb.sharp ? "0" : "0x0", verb);
  return "bdoxX".includes(verb.letter) ? writtenInteger(0n, verb) : undefined;
}

function misfit(value: Value, verb: Verb, type = nativeTypeName(value)): string {
  const shown = written(value, { ...verb, letter: "v" });
  return `%!${verb.letter}(${type}=${shown})`;
}

/** Returns a text formatted with the verb; `undefined` if the verb does not support texts. */
export function writtenText(value: string | Uint8Array, verb: Verb): string | undefined {
  switch (verb.letter) {
    case "v":
    case "s":
      return padded(cut(textOf(value), verb), verb);
    case "q":
      return padded(quotedText(cut(textOf(value), verb), verb), verb);
    case "x":
      return padded(hexadecimal(value, verb), verb);
    case "X":
      return padded(hexadecimal(value, verb).toUpperCase(), verb);
    default:
      return undefined;
  }
}

/** Returns two digits per byte. The space flag puts a space between bytes, `#` adds `0x`. */
function hexadecimal(value: string | Uint8Array, { precision, sharp, space }: Verb): string {
  const bytes = Buffer.from(bytesOf(value).subarray(0, precision));
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  const lead = sharp && pairs.length > 0 ? "0x" : "";
  return space ? pairs.map((pair) => lead + pair).join(" ") : lead + pairs.join("");
}

const bases: ReadonlyMap<string, { readonly base: number; readonly lead: string }> = /* @__PURE__ */ new Map([
  ["v", { base: 10, lead: "" }],
  ["d", { base: 10, lead: "" }],
  ["b", { base: 2, lead: "0b" }],
  ["o", { base: 8, lead: "0" }],
  ["O", { base: 8, lead: "0o" }],
  ["x", { base: 16, lead: "0x" }],
  ["X", { base: 16, lead: "0X" }],
]);

/** Returns an integer formatted with the verb; `undefined` if the verb does not support integers. */
export function writtenInteger(value: bigint, verb: Verb): string | undefined {
  const { letter, precision, width = 0 } = verb;
  if (letter === "c") return padded(character(value), verb);
  if (letter === "q") return padded(quotedCharacter(character(value), verb), verb);
  if (letter === "U") return padded(codePoint(value, verb), verb);
  const form = bases.get(letter);
  if (form === undefined) return undefined;
  if (precision === 0 && value === 0n) return " ".repeat(width);
  const magnitude = (value < 0n ? -value : value).toString(form.base);
  const sign = signOf(value < 0n, verb);
  // With a precision, zeros pad to the precision and spaces to the width.
  const zeros = precision ?? (verb.zero ? width - sign.length : 0);
  const digits = magnitude.padStart(zeros, "0");
  const lead = letter === "O" || (verb.sharp && !(letter === "o" && digits.startsWith("0"))) ? form.lead : "";
  const text = letter === "X" ? digits.toUpperCase() : digits;
  return padded(sign + lead + text, { ...verb, zero: false });
}

function character(value: bigint): string {
  const isPoint = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
  return isPoint ? String.fromCodePoint(Number(value)) : "\ufffd";
}

function quotedCharacter(text: string, { plus }: Verb): string {
  if (text === "'") return "'\\''";
  return text === '"' ? `'"'` : `'${quotedText(text, { ...plain, plus }).slice(1, -1)}'`;
}

/** Returns a text in quotes. `#` uses backquotes if the text allows them; `+` escapes characters beyond ASCII. */
function quotedText(text: string, { sharp, plus }: Verb): string {
  if (sharp && /^[^\p{Cc}`\ufeff\ufffd]*$/u.test(text.replaceAll("\t", ""))) return `\`${text}\``;
  const quoted = quote(text, "");
  if (!plus) return quoted;
  return quoted.replace(/\P{ASCII}/gu, (found) => {
    const point = (found.codePointAt(0) ?? 0).toString(16);
    return point.length > 4 ? `\\U${point.padStart(8, "0")}` : `\\u${point.padStart(4, "0")}`;
  });
}

/** Returns `U+0041`. With `#`, the character follows. */
function codePoint(value: bigint, { precision = 4, sharp }: Verb): string {
  const code = `U+${BigInt.asUintN(64, value).toString(16).toUpperCase().padStart(Math.max(precision, 4), "0")}`;
  return sharp && value >= 0x20n && value <= 0x10ffffn ? `${code} '${character(value)}'` : code;
}

/** Returns a float formatted with the verb; `undefined` if the verb does not support floats. `value`: its type. */
export function writtenFloat(value: Value, number: number, verb: Verb): string | undefined {
  const magnitude = Math.abs(number);
  const text = Number.isFinite(number) ? floatDigits(value, magnitude, verb) : formatFloat(magnitude);
  if (text === undefined || !"vgGeEfFxXb".includes(verb.letter)) return undefined;
  if (Number.isNaN(number)) return padded(verb.plus ? "+NaN" : "NaN", { ...verb, zero: false });
  const sign = signOf(number < 0 || Object.is(number, -0), verb);
  const digits = text.replace("+Inf", "Inf");
  if (!Number.isFinite(number)) return padded((sign || "+") + digits, { ...verb, zero: false });
  return verb.zero
    ? sign + digits.padStart((verb.width ?? 0) - sign.length, "0")
    : padded(sign + digits, verb);
}

/** Returns the digits of a finite number that is not negative. */
function floatDigits(value: Value, magnitude: number, { letter, precision }: Verb): string | undefined {
  switch (letter) {
    case "f":
    case "F":
      return roundedFixed(magnitude, precision ?? 6);
    case "e":
      return roundedExponential(magnitude, precision ?? 6);
    case "E":
      return roundedExponential(magnitude, precision ?? 6).toUpperCase();
    case "x":
      return hexadecimalFloat(magnitude, precision);
    case "X":
      return hexadecimalFloat(magnitude, precision).toUpperCase();
    case "b": {
      const { mantissa, exponent } = floatParts(magnitude);
      if (!isSingle(value)) return binaryFloat(mantissa, exponent - 52);
      // Subnormal float32 numbers are normal float64 numbers.
      const shift = Math.max(exponent, -126) - exponent + 29;
      return binaryFloat(mantissa >> BigInt(shift), exponent - 52 + shift);
    }
    case "v":
    case "g":
    case "G": {
      const text = precision === undefined ? shortest(value, magnitude) : roundedShort(magnitude, precision);
      return letter === "G" ? text.toUpperCase() : text;
    }
    default:
      return undefined;
  }
}

/** Returns a non-negative float64 as `mantissa / 2 ** 52 * 2 ** exponent`. */
function floatParts(magnitude: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, magnitude);
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = BigInt.asUintN(52, bits);
  return exponent === 0
    ? { mantissa, exponent: -1022 }
    : { mantissa: mantissa | (1n << 52n), exponent: exponent - 1023 };
}

/** Returns `0x1.8p+00` with all digits, or with `precision` digits, rounded half to even. */
function hexadecimalFloat(magnitude: number, precision: number | undefined): string {
  const parts = floatParts(magnitude);
  const lead = parts.mantissa.toString(2).length - 1;
  let exponent = magnitude === 0 ? 0 : parts.exponent - 52 + lead;
  let mantissa = magnitude === 0 ? 0n : parts.mantissa << BigInt(52 - lead);
  const digits = Math.min(precision ?? 13, 13);
  const cut = BigInt(52 - digits * 4);
  const rest = BigInt.asUintN(Number(cut), mantissa);
  mantissa >>= cut;
  if (cut > 0n && rest + (mantissa & 1n) > 1n << (cut - 1n)) mantissa += 1n;
  if (mantissa >> BigInt(digits * 4) > 1n) {
    mantissa >>= 1n;
    exponent += 1;
  }
  const text = mantissa.toString(16).padStart(digits + 1, "0");
  const fraction = text.slice(1);
  const shown = precision === undefined ? trimmedEnd(fraction, "0") : fraction.padEnd(precision, "0");
  const power = `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  return `0x${text.slice(0, 1)}${shown === "" ? "" : `.${shown}`}p${power}`;
}

function binaryFloat(mantissa: bigint, exponent: number): string {
  return `${mantissa}p${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

function isSingle(value: Value): boolean {
  return value instanceof SizedNumber && value.numericKind() === "float32";
}

function shortest(value: Value, magnitude: number): string {
  return isSingle(value) ? formatFloat32(magnitude) : formatFloat(magnitude);
}

function signOf(isNegative: boolean, { plus, space }: Verb): string {
  if (isNegative) return "-";
  return plus ? "+" : space ? " " : "";
}

/** Returns as many characters as the precision of the verb allows. */
export function cut(text: string, { precision }: Verb): string {
  return precision === undefined ? text : [...text].slice(0, precision).join("");
}

/** Returns a text padded to the width of the verb. */
export function padded(text: string, { minus, zero, width = 0 }: Verb): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  return minus ? text + " ".repeat(missing) : (zero ? "0" : " ").repeat(missing) + text;
}

/** `%#v`: returns the value as source code of the reference engine's language. */
function sourceForm(value: Value, verb: Verb): string {
  if (value === null) return "interface {}(nil)";
  if (value === deleted || value === nothing) return padded(`(${nativeTypeName(value)})(nil)`, verb);
  if (typeof value === "string" || value instanceof SourceNumber)
    return padded(quote(textOf(value), ""), verb);
  if (value instanceof Uint8Array) {
    return `[]byte{${Array.from(value, (byte) => `0x${byte.toString(16)}`).join(", ")}}`;
  }
  const inner = (each: Value) => sourceForm(each, verb);
  if (isArray(value)) return `[]interface {}{${value.map(inner).join(", ")}}`;
  if (isObject(value)) {
    const fields = Object.keys(value)
      .sort()
      .map((key) => `${inner(key)}:${inner(value[key] ?? null)}`);
    return `map[string]interface {}{${fields.join(", ")}}`;
  }
  if (value instanceof Unsigned) return padded(`0x${value.valueOf().toString(16)}`, verb);
  return written(value, { ...verb, sharp: false, plus: false }) ?? misfit(value, verb);
}

/** The maximum number of decimal places of a float64. */
const mostFraction = 1074;

/** Returns all digits of a finite, non-negative number: `1234.50` for 1234.5 and 2. */
function roundedFixed(magnitude: number, places: number): string {
  const kept = Math.min(places, mostFraction);
  const digits = String(scaled(magnitude, kept)).padStart(kept + 1, "0");
  const whole = digits.slice(0, digits.length - kept);
  return places === 0 ? whole : `${whole}.${digits.slice(digits.length - kept).padEnd(places, "0")}`;
}

/** Returns exponential notation with at least two exponent digits: `1.23e+03` for 1234.5 and 2. */
function roundedExponential(magnitude: number, places: number): string {
  const { digits, exponent } = significant(magnitude, places + 1);
  const fraction = digits.slice(1);
  return `${digits.charAt(0)}${fraction === "" ? "" : `.${fraction}`}${exponentText(exponent)}`;
}

/** Returns the significant digits without trailing zeros, in plain or exponential notation depending on the size. */
function roundedShort(magnitude: number, places: number): string {
  const most = Math.max(places, 1);
  const { digits, exponent } = significant(magnitude, most);
  const counted = trimmedEnd(digits, "0");
  // Digits that end before the decimal point do not require an exponent because of their number.
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

/** Returns the first `count` digits, and the power of ten of the first digit. */
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

/** Returns the number times a power of ten, rounded to a whole number. */
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

/** Returns a float64 as a whole number times a power of two. */
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
