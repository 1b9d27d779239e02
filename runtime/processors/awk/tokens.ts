// Reads the tokens of a program, and reports problems at their places.

import { ProgramLexer, type ProgramToken } from "./lexer.ts";
import { type ProgramError, type ProgramPlace, type ProgramProblem, problemAt } from "./syntax.ts";

/** How deep expressions and statements may be nested: each level takes part of the stack of the JavaScript engine. */
const deepest = 200;
/** Why what other AWKs have is not available, and what to do instead. */
export const refused = {
  commands: {
    message: "programs cannot run commands",
    hint: "Use the processor `http` to call a service.",
  },
  files: {
    message: "programs cannot read or write files",
    hint: "Outputs of the stream write files.",
  },
} as const;

/** Reads a program token by token, and counts how deep its parts are nested. */
export class TokenReader {
  readonly #lexer: ProgramLexer;
  #token: ProgramToken;
  #last: ProgramToken;
  #depth = 0;
  readonly refusals: ProgramProblem[] = [];

  constructor(text: string) {
    this.#lexer = new ProgramLexer(text);
    this.#token = this.#lexer.next();
    this.#last = this.#token;
  }

  get token(): ProgramToken {
    return this.#token;
  }

  get last(): ProgramToken {
    return this.#last;
  }

  advance(): ProgramToken {
    this.#last = this.#token;
    this.#token = this.#lexer.next();
    return this.#last;
  }

  is(...kinds: readonly string[]): boolean {
    return kinds.includes(this.#token.kind);
  }

  /** Skips a token of a kind if it follows. */
  skip(kind: string): boolean {
    const isNext = this.#token.kind === kind;
    if (isNext) this.advance();
    return isNext;
  }

  expect(kind: string): ProgramToken {
    if (this.#token.kind !== kind) throw this.fault(`expected ${spelled(kind)} instead of ${this.found()}`);
    return this.advance();
  }

  skipLines(): void {
    while (this.skip("newline"));
  }

  /** Whether `(` follows immediately after the current token. */
  isCall(): boolean {
    return this.#lexer.isCall();
  }

  /** Reads the rest of a regular expression that begins with the current token. */
  regexp(): ProgramToken {
    return this.#lexer.regexp(this.#token);
  }

  fault(message: string, place: ProgramPlace = this.#token): ProgramError {
    return problemAt(place, message);
  }

  /** Returns the current token as errors name it. */
  found(): string {
    return spelled(this.#token.kind);
  }

  refuse({ message, hint }: { readonly message: string; readonly hint: string }, from: ProgramPlace): void {
    this.refusals.push({ message, hint, start: from.start, end: this.#last.end });
  }

  /** Counts a level of nesting while `read` runs. */
  nested<T>(read: () => T): T {
    if (this.#depth++ >= deepest) throw this.fault(`more than ${deepest} levels are nested`);
    const result = read();
    this.#depth--;
    return result;
  }
}

function spelled(kind: string): string {
  const named: Readonly<Record<string, string>> = {
    newline: "the end of the line",
    end: "the end of the program",
    name: "a name",
    number: "a number",
    text: "a text",
    builtin: "a function",
  };
  return Object.hasOwn(named, kind) ? (named[kind] ?? kind) : `\`${kind}\``;
}
