// Why a text is not JSON, in the words of the reference's parser.

import { quotedCharacter } from "../text/quoting.ts";
import { asBuffer } from "../text/utf8.ts";

const literals: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };
/** Quotes as they stand in single quotes. */
const quotes: Readonly<Record<string, string>> = { "'": "\\'", '"': '"' };
const escapes = new Set(['"', "\\", "/", "b", "f", "n", "r", "t"]);

/** Why bytes are not one JSON value. Of those that hold several, the reference reads the first three. */
export function jsonFault(bytes: Uint8Array): string {
  // A character for each byte: the reference engine reads bytes, and shows the one that does not fit.
  let rest = asBuffer(bytes).toString("latin1");
  let read = 0;
  do {
    const end = endOfJson(rest);
    if (typeof end === "string") return end;
    rest = rest.slice(end).trim();
  } while (rest && ++read < 3);
  return "message contains multiple valid documents";
}

/** Where the JSON value ends that a text begins with, or the first fault of a text that begins with none. It is bytes as Latin-1. */
export function endOfJson(text: string): number | string {
  const scanner = new Scanner(text);
  try {
    return scanner.document();
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

class Fault extends Error {}

/** Walks over a text by the grammar with a stack of its own, and throws at the first fault. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): number {
    // The closers still owed, innermost last.
    const open: string[] = [];
    do {
      this.#value(open);
      while (open.length > 0 && this.#afterElement(open));
    } while (open.length > 0);
    return this.#at;
  }

  /** Steps over one scalar, going into as many arrays and objects as stand before it. */
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

  /** After an element: true when that closed a bracket, false when another element follows. */
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

  /** The next character that is not a blank; a fault at the end of the text. */
  #next(): string {
    while (/[ \t\r\n]/.test(this.#peek())) this.#at++;
    return this.#character();
  }

  /** The character here; a fault at the end of the text. */
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
    return new Fault(`invalid character '${quotes[character] ?? quotedCharacter(character)}' ${context}`);
  }
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}
