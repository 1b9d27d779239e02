// Splits the text of an AWK program into tokens. The parser knows where a slash begins a regular expression.

import { bytewise } from "../../text/utf8.ts";
import { type ProgramError, type ProgramPlace, problemAt } from "./syntax.ts";

/** The words of the language that are no functions. */
export const keywords = [
  "BEGIN",
  "END",
  "break",
  "continue",
  "delete",
  "do",
  "else",
  "exit",
  "for",
  "function",
  "getline",
  "if",
  "in",
  "next",
  "nextfile",
  "print",
  "printf",
  "return",
  "while",
] as const;

/** The functions of the language with the numbers of arguments that they take. */
export const builtinArity: ReadonlyMap<string, readonly [least: number, most: number]> =
  /* @__PURE__ */ new Map([
    ["atan2", [2, 2]],
    ["close", [1, 1]],
    ["cos", [1, 1]],
    ["exp", [1, 1]],
    ["fflush", [0, 1]],
    ["gsub", [2, 3]],
    ["index", [2, 2]],
    ["int", [1, 1]],
    ["length", [0, 1]],
    ["log", [1, 1]],
    ["match", [2, 2]],
    ["rand", [0, 0]],
    ["sin", [1, 1]],
    ["split", [2, 3]],
    ["sprintf", [1, Number.POSITIVE_INFINITY]],
    ["sqrt", [1, 1]],
    ["srand", [0, 1]],
    ["sub", [2, 3]],
    ["substr", [2, 3]],
    ["system", [1, 1]],
    ["tolower", [1, 1]],
    ["toupper", [1, 1]],
  ]);

const words: ReadonlySet<string> = /* @__PURE__ */ new Set(keywords);

/** `**` is `^`, and `**=` is `^=`. */
const signs = [
  ...["**=", "&&", "||", "!~", "==", "<=", ">=", "!=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", ">>"],
  ...["**", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|", "?"],
  ...[":", "~", "$", "=", "@"],
];

/** A token. `kind`: `name`, `number`, `text`, `regexp`, `builtin`, `newline`, `end`, or the word or sign itself. */
export interface ProgramToken extends ProgramPlace {
  readonly kind: string;
  /** The name, the number as written, the bytes of the text, or the source of the regular expression. */
  readonly value: string;
  /** Whether blanks precede it. */
  readonly isApart: boolean;
}

const escapes: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
]);

const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const hexadecimal = /[0-9A-Fa-f]{1,2}/y;
const codePoint = /[0-9A-Fa-f]{1,8}/y;
const octal = /[0-7]{1,3}/y;

/** Reads one program from its beginning to its end. */
export class ProgramLexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the next token. */
  next(): ProgramToken {
    const before = this.#at;
    this.#skipBlanks();
    const isApart = this.#at > before;
    if (this.#text.charAt(this.#at) === "#") {
      const end = this.#text.indexOf("\n", this.#at);
      this.#at = end < 0 ? this.#text.length : end;
    }
    const start = this.#at;
    const token = (kind: string, value = ""): ProgramToken => ({
      kind,
      value,
      isApart,
      start,
      end: this.#at,
    });
    const first = this.#text.charAt(start);
    if (first === "") return token("end");
    if (first === "\n") {
      this.#at++;
      return token("newline");
    }
    if (first === '"' || first === "'") return token("text", this.#readText(first));
    const word = this.#take(name);
    if (word !== "") {
      if (words.has(word)) return token(word);
      return token(builtinArity.has(word) ? "builtin" : "name", word);
    }
    const digits = this.#take(number);
    if (digits !== "") return token("number", digits);
    const sign = signs.find((each) => this.#text.startsWith(each, start));
    if (sign === undefined) throw this.#unexpected(start);
    this.#at += sign.length;
    return token(sign.replace("**", "^"));
  }

  /** Reads the rest of a regular expression that begins with the token `slash`: `/` or `/=`. */
  regexp({ kind, start, isApart }: ProgramToken): ProgramToken {
    let value = kind.slice(1);
    for (;;) {
      const character = this.#text.charAt(this.#at);
      if (character === "") throw this.#fault("the regular expression has no `/` at its end", start);
      if (character === "\n" || character === "\r")
        throw this.#fault("a regular expression cannot contain a line end", start);
      this.#at++;
      if (character === "/") return { kind: "regexp", value, isApart, start, end: this.#at };
      if (character === "\\") {
        if (this.#text.charAt(this.#at) !== "/") value += "\\";
        value += this.#text.charAt(this.#at++);
      } else value += character;
    }
  }

  /** Whether `(` follows immediately. */
  isCall(): boolean {
    return this.#text.charAt(this.#at) === "(";
  }

  #skipBlanks(): void {
    for (;;) {
      const character = this.#text.charAt(this.#at);
      if (character === "\\") {
        const end = this.#text.startsWith("\\\r\n", this.#at) ? this.#at + 3 : this.#at + 2;
        if (this.#text.charAt(end - 1) !== "\n")
          throw this.#fault("only a line end can follow `\\`", this.#at);
        this.#at = end;
      } else if (character === " " || character === "\t" || character === "\r") this.#at++;
      else return;
    }
  }

  #readText(quote: string): string {
    const start = this.#at++;
    let bytes = "";
    for (;;) {
      const from = this.#at;
      while (!`${quote}\\\r\n`.includes(this.#text.charAt(this.#at))) this.#at++;
      bytes += bytewise(this.#text.slice(from, this.#at));
      const character = this.#text.charAt(this.#at++);
      if (character === quote) return bytes;
      if (character !== "\\") {
        this.#at--;
        throw this.#fault(
          character === "" ? "the text has no quote at its end" : "a text cannot contain a line end",
          start,
        );
      }
      bytes += this.#readEscape();
    }
  }

  /** Reads what follows a backslash. Returns its bytes. */
  #readEscape(): string {
    const start = this.#at - 1;
    const digits = this.#take(octal);
    if (digits !== "") return String.fromCharCode(Number.parseInt(digits, 8) & 0xff);
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    if (this.#at >= this.#text.length) return "";
    this.#at += character.length;
    if (character === "x") {
      const code = this.#take(hexadecimal);
      if (code === "") throw this.#fault("one or two hexadecimal digits have to follow `\\x`", start);
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    if (character === "u") {
      const code = Number.parseInt(this.#take(codePoint), 16);
      const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      if (!isCharacter) throw this.#fault("the hexadecimal code of a character has to follow `\\u`", start);
      return bytewise(String.fromCodePoint(code));
    }
    return escapes.get(character) ?? bytewise(character);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += taken.length;
    return taken;
  }

  #unexpected(at: number): ProgramError {
    const character = String.fromCodePoint(this.#text.codePointAt(at) ?? 0);
    this.#at = at + character.length;
    return this.#fault(`unexpected character \`${character}\``, at);
  }

  #fault(message: string, start: number): ProgramError {
    return problemAt({ start, end: Math.max(this.#at, start + 1) }, message);
  }
}
