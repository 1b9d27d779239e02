// `.format(…)`: a text with verbs such as `%v`, `%05d` and `%.2f`.

import { isArray, isObject, SizedNumber, SourceNumber, type Value } from "../value.ts";
import { spelledTarget } from "./arguments.ts";
import { quote } from "./escapes.ts";
import { nativeTypeName } from "./kinds.ts";
import { isFloat, numeric, toBigInt, toFloat } from "./numeric.ts";
import { bytesOf, formatFloat, formatFloat32, textOf } from "./text.ts";

interface Verb {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly letter: string;
}

// A width or precision beyond what Go reads swallows the rest of the text, with a verb that is missing.
const verbPattern = /%([-+# 0]*)(?:\d*\.?\d{8,}.*|(\d+)?(?:\.(\d*))?(.|$))/gsu;

/** `"%v: %.2f".format(a, b)`; what does not fit is told within the text, as in the reference. */
export function format(target: Value, from: string, ...args: readonly Value[]): string {
  let used = 0;
  const text = spelledTarget(target, from).replace(
    verbPattern,
    (_, flags: string, width?: string, precision?: string, letter = "") => {
      if (letter === "%") return "%";
      if (letter === "") return "%!(NOVERB)";
      const arg = args[used];
      if (arg === undefined) return `%!${letter}(MISSING)`;
      used++;
      const digits = precision === undefined ? undefined : Number(precision);
      return formatOne(arg, { flags, width: Number(width ?? 0), precision: digits, letter });
    },
  );
  if (used >= args.length) return text;
  const extra = args
    .slice(used)
    .map((arg) => (arg === null ? "<nil>" : `${nativeTypeName(arg)}=${shown(arg)}`));
  return `${text}%!(EXTRA ${extra.join(", ")})`;
}

function formatOne(arg: Value, verb: Verb): string {
  const text = written(arg, verb);
  return text === undefined ? `%!${verb.letter}(${misfit(arg)})` : padded(text, arg, verb);
}

/** The argument by its verb; `undefined` where the verb is not for such values. */
function written(arg: Value, verb: Verb): string | undefined {
  if (verb.letter === "v") return shown(arg, verb);
  if (verb.letter === "T") return nativeTypeName(arg);
  if (typeof arg === "string" || arg instanceof Uint8Array || arg instanceof SourceNumber)
    return textVerb(arg, verb);
  if (typeof arg === "boolean") return verb.letter === "t" ? String(arg) : undefined;
  const number = numeric(arg);
  if (number === undefined) return undefined;
  const signed = (text: string) => (verb.flags.includes("+") && !text.startsWith("-") ? `+${text}` : text);
  if (arg instanceof SizedNumber && verb.letter === "g" && verb.precision === undefined) {
    return signed(shown(arg));
  }
  if (isFloat(number)) {
    const text = floatVerb(toFloat(number), verb);
    return text === undefined ? undefined : signed(text);
  }
  const text = integerVerb(toBigInt(number), verb);
  return text === undefined ? undefined : signed(text);
}

function textVerb(arg: string | Uint8Array | SourceNumber, verb: Verb): string | undefined {
  switch (verb.letter) {
    case "s":
      return cut(textOf(arg), verb);
    case "q":
      return quote(cut(textOf(arg), verb), "");
    case "x":
      return Buffer.from(bytesOf(arg)).toString("hex");
    case "X":
      return Buffer.from(bytesOf(arg)).toString("hex").toUpperCase();
    default:
      return undefined;
  }
}

function integerVerb(value: bigint, { letter }: Verb): string | undefined {
  switch (letter) {
    case "d":
      return String(value);
    case "b":
      return value.toString(2);
    case "o":
      return value.toString(8);
    case "x":
      return value.toString(16);
    case "X":
      return value.toString(16).toUpperCase();
    case "c":
      return value >= 0n && value <= 0x10ffffn ? String.fromCodePoint(Number(value)) : "\ufffd";
    default:
      return undefined;
  }
}

function floatVerb(value: number, { letter, precision }: Verb): string | undefined {
  if (!Number.isFinite(value)) return "eEfFgG".includes(letter) ? formatFloat(value) : undefined;
  switch (letter) {
    case "f":
    case "F":
      return withSign(value, fixed(Math.abs(value), precision ?? 6));
    case "e":
      return withSign(value, exponential(Math.abs(value), precision ?? 6));
    case "E":
      return withSign(value, exponential(Math.abs(value), precision ?? 6)).toUpperCase();
    case "g":
      return precision === undefined ? formatFloat(value) : undefined;
    default:
      return undefined;
  }
}

/** All digits of a number as they are, rounded: beyond 1e21 `toFixed` would use an exponent. */
function fixed(magnitude: number, digits: number): string {
  if (magnitude < 1e21) return magnitude.toFixed(Math.min(digits, 100));
  return digits === 0 ? String(BigInt(magnitude)) : `${BigInt(magnitude)}.${"0".repeat(digits)}`;
}

function exponential(magnitude: number, digits: number): string {
  const [mantissa = "", power = ""] = magnitude.toExponential(Math.min(digits, 100)).split("e");
  return `${mantissa}e${power.slice(0, 1)}${power.slice(1).padStart(2, "0")}`;
}

function withSign(value: number, magnitude: string): string {
  return value < 0 || Object.is(value, -0) ? `-${magnitude}` : magnitude;
}

function cut(text: string, { precision }: Verb): string {
  return precision === undefined ? text : [...text].slice(0, precision).join("");
}

function padded(text: string, arg: Value, { flags, width }: Verb): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  if (flags.includes("-")) return text + " ".repeat(missing);
  if (!flags.includes("0") || numeric(arg) === undefined) return " ".repeat(missing) + text;
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
}

/** `%v`: as the reference's language shows values, not as JSON. */
function shown(value: Value, verb?: Verb): string {
  if (value === null) return "<nil>";
  if (isArray(value)) return `[${value.map((element) => shown(element)).join(" ")}]`;
  if (value instanceof Uint8Array) return `[${[...value].join(" ")}]`;
  if (value instanceof SizedNumber && value.numericKind() === "float32")
    return formatFloat32(value.valueOf());
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `map[${keys.map((key) => `${key}:${shown(value[key] ?? null)}`).join(" ")}]`;
  }
  return verb?.flags.includes("+") && numeric(value) !== undefined && !textOf(value).startsWith("-")
    ? `+${textOf(value)}`
    : textOf(value);
}

function misfit(arg: Value): string {
  return arg === null ? "<nil>" : `${nativeTypeName(arg)}=${shown(arg)}`;
}
