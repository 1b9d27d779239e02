// Expressions with the strength of their outermost operator, so that brackets stand only where needed.

import { type Code, code } from "../code.ts";

/** How strongly an expression holds together; higher is stronger. */
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

/** An expression that needs no brackets anywhere. */
export function primary(emitted: Code): Emitted {
  return { code: emitted, level: precedences.primary };
}

/** The expression as an operand of something at least as strong as `level`. */
export function operand(emitted: Emitted, level: Precedence): Code {
  return emitted.level >= level ? emitted.code : code`(${emitted.code})`;
}
