// Expressions with the precedence of their outermost operator, so that brackets are added only if needed.

import { type Code, code } from "../code.ts";

/** The precedence of expressions; higher binds more tightly. */
export const precedences = {
  arrow: 0,
  choice: 1,
  coalesce: 2,
  or: 3,
  and: 4,
  equality: 5,
  unary: 6,
  primary: 7,
} as const;

export type Precedence = (typeof precedences)[keyof typeof precedences];

/** An emitted expression. */
export interface Emitted {
  readonly code: Code;
  readonly level: Precedence;
}

/** Returns an expression that needs no brackets anywhere. */
export function primary(emitted: Code): Emitted {
  return { code: emitted, level: precedences.primary };
}

/** Returns the expression as an operand, with brackets if its precedence is below `level`. */
export function operand(emitted: Emitted, level: Precedence): Code {
  return emitted.level >= level ? emitted.code : code`(${emitted.code})`;
}
