// The operators with their levels, shared by the parser and the printer.

import type { BinaryOperator } from "../../trees/mapping.ts";

/** In the order in which they are tried: none is read as the beginning of another. */
export const operators: readonly BinaryOperator[] = [
  "+",
  "-",
  "/",
  "*",
  "%",
  "&&",
  "||",
  "==",
  "!=",
  ">=",
  "<=",
  ">",
  "<",
  "|",
];

/** How tightly each binds; operators of one level are taken from left to right. */
export const levels: { readonly [O in BinaryOperator]: number } = {
  "*": 4,
  "/": 4,
  "%": 4,
  "|": 4,
  "+": 3,
  "-": 3,
  "==": 2,
  "!=": 2,
  ">": 2,
  "<": 2,
  ">=": 2,
  "<=": 2,
  "&&": 1,
  "||": 1,
};
