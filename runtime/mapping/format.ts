// Implements `.format(…)`: a text with verbs such as `%v`, `%05d`, `%.2f`, `%[2]s` and `%*d`. This file parses the
// verbs, and `format-verbs.ts` formats the values. Errors are described within the text, as in Go's `fmt`.

import type { Value } from "../message/value.ts";
import { spelledTarget } from "./arguments.ts";
import { type Verb, writtenBy, writtenPlainly } from "./format-verbs.ts";
import { nativeTypeName } from "./kinds.ts";
import { isFloat, numeric, toBigInt } from "./numeric.ts";

/** The largest accepted width, precision or argument index. */
const largestNumber = 1_000_000;

/** `"%v: %.2f".format(a, b)` */
export function format(target: Value, from: string, ...args: readonly Value[]): string {
  return formatted(spelledTarget(target, from), args, { write: writtenBy, describe, sizeOf });
}

/** How the arguments of a format are written. */
export interface ArgumentWriting<T> {
  readonly write: (verb: Verb, argument: T) => string;
  /** Describes an argument that no verb uses. */
  readonly describe: (argument: T) => string;
  /** Returns the argument as a width or precision; `undefined` if it is not an integer. */
  readonly sizeOf: (argument: T) => number | undefined;
}

/** Returns a text with its verbs replaced by the arguments. `undefined` is not an argument. */
export function formatted<T>(text: string, args: readonly T[], writing: ArgumentWriting<T>): string {
  return new Formatter(text, args, writing).run();
}

/** Formats one text from its beginning to its end. */
class Formatter<T> {
  readonly #text: string;
  readonly #args: readonly T[];
  readonly #writing: ArgumentWriting<T>;
  #at = 0;
  #result = "";
  /** The index of the argument for the next verb. */
  #next = 0;
  #isReordered = false;
  #isGoodIndex = true;
  /** Whether the last token was an index such as `[2]`, which a width must not follow. */
  #isIndexLast = false;

  constructor(text: string, args: readonly T[], writing: ArgumentWriting<T>) {
    this.#text = text;
    this.#args = args;
    this.#writing = writing;
  }

  run(): string {
    while (this.#at < this.#text.length) {
      const verb = this.#text.indexOf("%", this.#at);
      const end = verb < 0 ? this.#text.length : verb;
      this.#result += this.#text.slice(this.#at, end);
      this.#at = end + 1;
      if (verb >= 0) this.#readVerb();
    }
    if (this.#isReordered || this.#next >= this.#args.length) return this.#result;
    const extra = this.#args.slice(this.#next).map(this.#writing.describe);
    return `${this.#result}%!(EXTRA ${extra.join(", ")})`;
  }

  #readVerb(): void {
    this.#isGoodIndex = true;
    this.#isIndexLast = false;
    const flags = this.#take(/[-+# 0]*/y);
    this.#readIndex();
    let width = this.#readWidth();
    let minus = flags.includes("-");
    if (width !== undefined && width < 0) {
      minus = true;
      width = -width;
    }
    const precision = this.#readPrecision();
    if (!this.#isIndexLast) this.#readIndex();
    const letter = this.#take(/./suy);
    const plus = flags.includes("+");
    const sharp = flags.includes("#");
    const zero = flags.includes("0") && !minus;
    this.#write({ plus, minus, sharp, zero, space: flags.includes(" "), width, precision, letter });
  }

  #write(verb: Verb): void {
    const { letter } = verb;
    const arg = this.#args[this.#next];
    if (letter === "") this.#result += "%!(NOVERB)";
    else if (letter === "%") this.#result += "%";
    else if (!this.#isGoodIndex) this.#result += `%!${letter}(BADINDEX)`;
    else if (arg === undefined) this.#result += `%!${letter}(MISSING)`;
    else {
      this.#next++;
      this.#result += this.#writing.write(verb, arg);
    }
  }

  #readWidth(): number | undefined {
    if (this.#take(/\*/y) !== "") {
      const width = this.#takeArgument();
      if (width === undefined) this.#result += "%!(BADWIDTH)";
      return width;
    }
    const width = this.#readNumber();
    if (this.#isIndexLast && width !== undefined) this.#isGoodIndex = false;
    return width;
  }

  #readPrecision(): number | undefined {
    // A point at the end of the text is a verb.
    if (this.#take(/\.(?=[\s\S])/y) === "") return undefined;
    if (this.#isIndexLast) this.#isGoodIndex = false;
    this.#readIndex();
    if (this.#take(/\*/y) === "") return this.#readNumber() ?? 0;
    const precision = this.#takeArgument();
    if (precision !== undefined && precision >= 0) return precision;
    this.#result += "%!(BADPREC)";
    return undefined;
  }

  /** Reads an index such as `[2]`, which selects the next argument. */
  #readIndex(): void {
    this.#isIndexLast = false;
    if (this.#text[this.#at] !== "[") return;
    this.#isReordered = true;
    const written = this.#take(/\[[^\]]*\]/y);
    if (written === "") this.#at++;
    this.#isIndexLast = /^\[\d+\]$/.test(written);
    const index = this.#isIndexLast ? Number(written.slice(1, -1)) : 0;
    if (index > 0 && index <= this.#args.length) this.#next = index - 1;
    else this.#isGoodIndex = false;
  }

  /** Reads a number. A number that is too large consumes the rest of the text. */
  #readNumber(): number | undefined {
    const digits = this.#take(/\d*/y);
    if (digits === "") return undefined;
    if (Number(digits) <= largestNumber) return Number(digits);
    this.#at = this.#text.length;
    return undefined;
  }

  /** Consumes the next argument as a width or precision. `undefined` if it is not a valid one. */
  #takeArgument(): number | undefined {
    const arg = this.#args[this.#next];
    if (arg === undefined) return undefined;
    this.#next++;
    this.#isIndexLast = false;
    const size = this.#writing.sizeOf(arg);
    return size !== undefined && Math.abs(size) <= largestNumber ? size : undefined;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += taken.length;
    return taken;
  }
}

function describe(arg: Value): string {
  return arg === null ? "<nil>" : `${nativeTypeName(arg)}=${writtenPlainly(arg)}`;
}

function sizeOf(arg: Value): number | undefined {
  const number = numeric(arg);
  return number === undefined || isFloat(number) ? undefined : Number(toBigInt(number));
}
