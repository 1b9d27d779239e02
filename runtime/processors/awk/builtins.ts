// The operators and the functions of the language.

import type { RE2JS } from "re2js";
import { lowercase, uppercase } from "../../mapping/strings.ts";
import { bytewise, fromBytewise } from "../../text/utf8.ts";
import { spendOnLength, spendOnText } from "../jq/run.ts";
import { readCsv } from "./csv.ts";
import { firstMatch, replaced } from "./patterns.ts";
import { splitFields } from "./record.ts";
import type { ProgramState } from "./state.ts";
import type { ArithmeticSign, ComparisonSign } from "./syntax.ts";
import {
  type AwkArray,
  type AwkValue,
  asNumber,
  failure,
  InputText,
  sprintf,
  toInteger,
  toNumber,
  toText,
} from "./values.ts";

/** The functions of the signs. */
export const arithmetic: { readonly [S in ArithmeticSign]: (left: number, right: number) => number } = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => {
    if (right === 0) throw failure("division by zero");
    return left / right;
  },
  "%": (left, right) => {
    if (right === 0) throw failure("division by zero in mod");
    return left % right;
  },
  "^": power,
};

/** Like `**`, but 1 to any power is 1, and so is -1 to an infinite one. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY)) return 1;
  return base ** exponent;
}

type Compared = number | string;

const comparisons: { readonly [S in ComparisonSign]: (left: Compared, right: Compared) => boolean } = {
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

/** Compares values as numbers, or as texts by their bytes. `format`: how numbers become texts. */
export function compared(sign: ComparisonSign, left: AwkValue, right: AwkValue, format: string): boolean {
  const compare = comparisons[sign];
  const [number, other] = [asNumber(left), asNumber(right)];
  if (number !== undefined && other !== undefined) return compare(number, other);
  const [text, otherText] = [toText(left, format), toText(right, format)];
  spendOnLength(Math.min(text.length, otherText.length));
  return compare(text, otherText);
}

type Call = (state: ProgramState, args: readonly AwkValue[]) => AwkValue;

/** `split(text, array, separator)`: returns the number of parts. */
function split(state: ProgramState, array: AwkArray, text: AwkValue, separator: string | undefined): number {
  const whole = toText(text, state.CONVFMT);
  const { inputMode } = state;
  const parts =
    separator === undefined && inputMode !== undefined
      ? (readCsv(whole, 0, inputMode)?.fields ?? [])
      : splitFields(whole, separator ?? state.FS);
  // Loops over the array continue with its former elements.
  array.elements = new Map();
  for (const [index, part] of parts.entries()) state.store(array, String(index + 1), new InputText(part));
  return parts.length;
}

/** `match(text, pattern)`: returns where the first match begins, and sets `RSTART` and `RLENGTH`. */
function match(state: ProgramState, text: string, pattern: RE2JS): number {
  const found = firstMatch(pattern, text);
  state.matchStart = found === undefined ? 0 : found.start + 1;
  state.matchLength = found === undefined ? -1 : found.end - found.start;
  return state.matchStart;
}

function replace(pattern: RE2JS, replacement: string, text: string, isGlobal: boolean) {
  spendOnText(replacement);
  return replaced(pattern, replacement, text, isGlobal);
}

function textOf(state: ProgramState, value: AwkValue): string {
  const text = toText(value, state.CONVFMT);
  spendOnText(text);
  return text;
}

/** `substr(text, start, length)`, in bytes. */
function substr(state: ProgramState, [value, from, most]: readonly AwkValue[]): string {
  const text = toText(value, state.CONVFMT);
  const start = Math.min(Math.max(toInteger(toNumber(from)), 1), text.length + 1);
  if (most === undefined) return text.slice(start - 1);
  const length = Math.min(Math.max(toInteger(toNumber(most)), 0), text.length - start + 1);
  return text.slice(start - 1, start - 1 + length);
}

/** Returns a text with other letters. */
function lettersOf(
  text: string,
  change: (text: string) => string,
  changeAll: (text: string) => unknown,
): string {
  if (/^[\0-\x7f]*$/.test(text)) return change(text);
  return bytewise(String(changeAll(fromBytewise(text))));
}

const numeric =
  (call: (value: number) => number): Call =>
  (_, [value]) =>
    call(toNumber(value));

const named: ReadonlyMap<string, Call> = /* @__PURE__ */ new Map<string, Call>([
  ["atan2", (_, [y, x]) => Math.atan2(toNumber(y), toNumber(x))],
  // Programs open no files, so there is none to close.
  ["close", () => -1],
  ["cos", /* @__PURE__ */ numeric(Math.cos)],
  ["exp", /* @__PURE__ */ numeric(Math.exp)],
  [
    "fflush",
    (state, [name]) => {
      const file = textOf(state, name);
      if (file !== "") throw failure(`error flushing "${file}": not an output file or pipe`);
      return 0;
    },
  ],
  ["index", (state, [text, part]) => textOf(state, text).indexOf(textOf(state, part)) + 1],
  ["int", /* @__PURE__ */ numeric(toInteger)],
  [
    "length",
    (state, args) => (args.length === 0 ? state.record.text : toText(args[0], state.CONVFMT)).length,
  ],
  ["log", /* @__PURE__ */ numeric(Math.log)],
  ["rand", (state) => state.random()],
  ["sin", /* @__PURE__ */ numeric(Math.sin)],
  ["sprintf", (state, [format, ...values]) => sprintf(toText(format, state.CONVFMT), values, state.CONVFMT)],
  ["sqrt", /* @__PURE__ */ numeric(Math.sqrt)],
  [
    "srand",
    (state, args) => {
      const before = state.seed;
      if (args.length > 0) state.seed = toNumber(args[0]);
      state.startRandom(args.length > 0 ? state.seed : Date.now());
      return before;
    },
  ],
  ["substr", substr],
  [
    "tolower",
    (state, [text]) =>
      lettersOf(
        textOf(state, text),
        (all) => all.toLowerCase(),
        (all) => lowercase(all, ""),
      ),
  ],
  [
    "toupper",
    (state, [text]) =>
      lettersOf(
        textOf(state, text),
        (all) => all.toUpperCase(),
        (all) => uppercase(all, ""),
      ),
  ],
]);

/** The functions, and those with arguments of other kinds. */
export const languageFunctions = { named, split, match, replace } as const;
