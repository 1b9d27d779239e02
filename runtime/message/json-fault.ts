// Explains why a text is not JSON, with the messages of the reference engine's parser.

import { quotedCharacter } from "../text/quoting.ts";
import { asBuffer } from "../text/utf8.ts";

const literals: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };
/** Quotes as they are written between single quotes. */
const quotes: ReadonlyMap<string, string> = new Map([
  ["'", "\\'"],
  ['"', '"'],
]);
const escapes = new Set(['"', "\\", "/", "b", "f", "n", "r", "t"]);

/**
 * Returns why bytes are not one JSON value. If they hold several values, the reference engine reads the first three.
 */
export function jsonFault(bytes: Uint8Array): string {
  // Latin-1 maps each byte to one character: the reference engine reads bytes, and its messages show the invalid one.
  let rest = asBuffer(bytes).toString("latin1");
  let read = 0;
  do {
    const end = endOfJson(rest);
    if (typeof end === "string") return end;
    rest = rest.slice(end).trim();
  } while (rest && ++read < 3);
  return "message contains multiple valid documents";
}

/**
 * Returns the index at which the JSON value at the start of `text` ends, or the first fault if `text` does not start
 * with a value. `text` holds bytes decoded as Latin-1.
 */
export function endOfJson(text: string): number | string {
  if (!/[^ \t\r\n]/.test(text)) return "EOF";
  const scanner = new Scanner(text);
  try {
    return scanner.document();
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

class Fault extends Error {}

/** Follows the JSON grammar with an explicit stack, and throws a `Fault` at the first fault. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): number {
    // The closing brackets still expected, innermost last.
    const open: string[] = [];
    do {
      this.#value(open);
      while (open.length > 0 && this.#afterElement(open));
    } while (open.length > 0);
    return this.#at;
  }

  /** Steps over one scalar, and opens all arrays and objects before it. */
  #value(open: string[]): void {
    let start = this.#next();
    while (start === "{" || start === "[") {
      this.#at++;
      const closer = start === "{" ? "}" : "]";
      open.push(closer);
      if (this.#next() === closer) return;
      if (start === "{") this.#key();
      start = this.#next();
    }
    if (start === '"') this.#string();
    else if (start === "-" || isDigit(start)) this.#number();
    else this.#literal(start);
  }

  /** Handles the text after an element. Returns true if it closes a bracket, false if another element follows. */
  #afterElement(open: string[]): boolean {
    const closer = open.at(-1);
    const character = this.#next();
    if (character === closer) {
      this.#at++;
      open.pop();
      return true;
    }
    if (character !== ",") {
      throw this.#unexpected(closer === "}" ? "after object key:value pair" : "after array element");
    }
    this.#at++;
    if (closer === "}") this.#key();
    return false;
  }

  #key(): void {
    if (this.#next() !== '"') throw this.#unexpected("looking for beginning of object key string");
    this.#string();
    if (this.#next() !== ":") throw this.#unexpected("after object key");
    this.#at++;
  }

  #string(): void {
    this.#at++;
    for (; this.#character() !== '"'; this.#at++) {
      if (this.#character() < " ") throw this.#unexpected("in string literal");
      if (this.#character() === "\\") this.#escape();
    }
    this.#at++;
  }

  #escape(): void {
    this.#at++;
    if (escapes.has(this.#character())) return;
    if (this.#character() !== "u") throw this.#unexpected("in string escape code");
    for (let digit = 0; digit < 4; digit++) {
      this.#at++;
      if (!/[0-9a-fA-F]/.test(this.#character())) {
        throw this.#unexpected("in \\u hexadecimal character escape");
      }
    }
  }

  #number(): void {
    if (this.#peek() === "-") {
      this.#at++;
      if (!isDigit(this.#character())) throw this.#unexpected("in numeric literal");
    }
    if (this.#peek() === "0") this.#at++;
    else this.#digits();
    if (this.#peek() === ".") {
      this.#at++;
      if (!isDigit(this.#character())) throw this.#unexpected("after decimal point in numeric literal");
      this.#digits();
    }
    if (this.#peek() === "e" || this.#peek() === "E") {
      this.#at++;
      if (this.#peek() === "+" || this.#peek() === "-") this.#at++;
      if (!isDigit(this.#character())) throw this.#unexpected("in exponent of numeric literal");
      this.#digits();
    }
  }

  #digits(): void {
    while (isDigit(this.#peek())) this.#at++;
  }

  #literal(start: string): void {
    const word = literals[start];
    if (word === undefined) throw this.#unexpected("looking for beginning of value");
    for (const letter of word) {
      if (this.#character() !== letter) {
        throw this.#unexpected(`in literal ${word} (expecting '${letter}')`);
      }
      this.#at++;
    }
  }

  /** Skips blanks and returns the next character. Throws a `Fault` at the end of the text. */
  #next(): string {
    while (/[ \t\r\n]/.test(this.#peek())) this.#at++;
    return this.#character();
  }

  /** Returns the current character. Throws a `Fault` at the end of the text. */
  #character(): string {
    const character = this.#peek();
    if (character === "") throw new Fault("unexpected EOF");
    return character;
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #unexpected(context: string): Fault {
    const character = this.#peek();
    return new Fault(`invalid character '${quotes.get(character) ?? quotedCharacter(character)}' ${context}`);
  }
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}
