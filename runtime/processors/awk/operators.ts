// The operators of AWK programs.

import { spendOnLength } from "../jq/run.ts";
import type { ArithmeticSign, ComparisonSign } from "./syntax.ts";
import { type AwkValue, asNumber, failure, toText } from "./values.ts";

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
