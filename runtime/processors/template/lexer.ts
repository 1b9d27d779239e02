// Splits the text of a template into texts and the tokens of actions. White space around `{{-` and `-}}` is removed.

import { unicodePattern } from "../../text/memo.ts";
import { TemplateSyntaxError } from "./syntax.ts";

/** A token, by its offsets in the text. */
export interface TemplateToken {
  readonly kind:
    | "text"
    | "open"
    | "close"
    | "space"
    | "field"
    | "variable"
    | "word"
    | "number"
    | "rune"
    | "string"
    | "raw"
    | "sign"
    | "end";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const blank = /[ \t\r\n]/;
const word = /* @__PURE__ */ unicodePattern("[\\p{L}\\p{Nd}_]+", "uy");
const number =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*|0[bB][01_]*|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y;
const printable = /[!-~]/;

/** Returns the tokens of a template. The last one is `end`. Throws a `TemplateSyntaxError`. */
export function readTokens(text: string): readonly TemplateToken[] {
  return new Lexer(text).read();
}

/** Reads one text from its beginning to its end. */
class Lexer {
  readonly #text: string;
  readonly #tokens: TemplateToken[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly TemplateToken[] {
    const { length } = this.#text;
    let trimsStart = false;
    while (this.#at < length) {
      const found = this.#text.indexOf("{{", this.#at);
      const end = found < 0 ? length : found;
      const trimsEnd = found >= 0 && this.#is("-", end + 2) && this.#isBlank(end + 3);
      this.#addText(this.#at, end, trimsStart, trimsEnd);
      this.#at = end;
      if (found >= 0) trimsStart = this.#readAction(found, trimsEnd ? found + 3 : found + 2);
    }
    this.#add("end", length, length);
    return this.#tokens;
  }

  #addText(start: number, end: number, trimsStart: boolean, trimsEnd: boolean): void {
    let from = start;
    let to = end;
    if (trimsStart) while (from < to && this.#isBlank(from)) from++;
    if (trimsEnd) while (to > from && this.#isBlank(to - 1)) to--;
    if (to > from) this.#add("text", from, to);
  }

  /** Reads an action or a comment. Returns whether it removes white space after it. */
  #readAction(open: number, inside: number): boolean {
    const isTrimmed = inside > open + 2;
    const start = isTrimmed ? inside + 1 : inside;
    if (this.#is("/*", start)) return this.#skipComment(open, start);
    this.#add("open", open, inside);
    this.#at = isTrimmed ? inside + 1 : inside;
    let depth = 0;
    for (;;) {
      const close = this.#closeAt(this.#at);
      if (close !== undefined) {
        if (depth > 0) throw this.#fault("unclosed left paren", open, this.#at);
        this.#add("close", this.#at, close.end);
        this.#at = close.end;
        return close.trims;
      }
      if (this.#at >= this.#text.length) throw this.#fault("unclosed action", open, this.#text.length);
      depth += this.#readToken();
      if (depth < 0) throw this.#fault("unexpected right paren", this.#at - 1, this.#at);
    }
  }

  #skipComment(open: number, start: number): boolean {
    const end = this.#text.indexOf("*/", start + 2);
    if (end < 0) throw this.#fault("unclosed comment", open, this.#text.length);
    const close = this.#closeAt(end + 2);
    if (close === undefined) throw this.#fault("comment ends before closing delimiter", open, end + 2);
    this.#at = close.end;
    return close.trims;
  }

  /** Returns the end of `}}` or ` -}}` at `at`. */
  #closeAt(at: number): { readonly end: number; readonly trims: boolean } | undefined {
    if (this.#is("}}", at)) return { end: at + 2, trims: false };
    return this.#isBlank(at) && this.#is("-}}", at + 1) ? { end: at + 4, trims: true } : undefined;
  }

  /** Reads one token of an action. Returns by how much the depth of parentheses changes. */
  #readToken(): number {
    const start = this.#at;
    const first = this.#text.charAt(start);
    if (blank.test(first)) {
      while (this.#isBlank(this.#at) && this.#closeAt(this.#at) === undefined) this.#at++;
      this.#add("space", start, this.#at);
    } else if (first === '"' || first === "'") this.#readQuoted(first);
    else if (first === "`") this.#readRaw();
    else if (first === "$") this.#readName("variable", start + 1);
    else if (first === "." && !/[0-9]/.test(this.#text.charAt(start + 1))) this.#readName("field", start + 1);
    else if (/[+\-.0-9]/.test(first)) this.#readNumber();
    else if (this.#wordEnd(start) > start) this.#readName("word", start);
    else {
      const isDeclaring = this.#is(":=", start);
      if (first === ":" && !isDeclaring) throw this.#fault("expected :=", start, start + 1);
      if (!printable.test(first)) throw this.#strange(start);
      this.#at = start + (isDeclaring ? 2 : 1);
      this.#add("sign", start, this.#at);
      return first === "(" ? 1 : first === ")" ? -1 : 0;
    }
    return 0;
  }

  #readName(kind: "field" | "variable" | "word", from: number): void {
    const start = this.#at;
    this.#at = this.#wordEnd(from);
    const next = this.#text.charAt(this.#at);
    const isTerminated =
      next === "" || blank.test(next) || ".,|:)(".includes(next) || this.#is("}}", this.#at);
    if (!isTerminated) throw this.#strange(this.#at);
    this.#add(kind, start, this.#at);
  }

  #readNumber(): void {
    const start = this.#at;
    let end = this.#matchNumber(start);
    const isBroken = () => this.#wordEnd(end) > end;
    if (!isBroken() && /[+-]/.test(this.#text.charAt(end))) {
      end = this.#matchNumber(end);
      if (this.#text.charAt(end - 1) !== "i") throw this.#badNumber(start, end);
    }
    if (isBroken()) throw this.#badNumber(start, this.#wordEnd(end));
    this.#at = end;
    this.#add("number", start, end);
  }

  #badNumber(start: number, end: number): TemplateSyntaxError {
    return this.#fault(`bad number syntax: \`${this.#text.slice(start, end)}\``, start, end);
  }

  #matchNumber(at: number): number {
    number.lastIndex = at;
    return at + (number.exec(this.#text)?.[0].length ?? 0);
  }

  #readQuoted(quote: string): void {
    const start = this.#at;
    const what = quote === '"' ? "quoted string" : "character constant";
    for (let at = start + 1; ; at++) {
      const character = this.#text.charAt(at);
      const isEscape = character === "\\";
      if (isEscape) at++;
      if (isEscape ? /^\n?$/.test(this.#text.charAt(at)) : character === "" || character === "\n")
        throw this.#fault(`unterminated ${what}`, start, Math.min(at, this.#text.length));
      if (character !== quote) continue;
      this.#at = at + 1;
      this.#add(quote === '"' ? "string" : "rune", start, this.#at);
      return;
    }
  }

  #readRaw(): void {
    const start = this.#at;
    const end = this.#text.indexOf("`", start + 1);
    if (end < 0) throw this.#fault("unterminated raw quoted string", start, this.#text.length);
    this.#at = end + 1;
    this.#add("raw", start, this.#at);
  }

  #wordEnd(at: number): number {
    const pattern = word();
    pattern.lastIndex = at;
    return at + (pattern.exec(this.#text)?.[0].length ?? 0);
  }

  #strange(at: number): TemplateSyntaxError {
    const character = String.fromCodePoint(this.#text.codePointAt(at) ?? 0);
    return this.#fault(`unexpected character \`${character}\``, at, at + character.length);
  }

  #fault(message: string, start: number, end: number): TemplateSyntaxError {
    return new TemplateSyntaxError(message, start, end);
  }

  #is(expected: string, at: number): boolean {
    return this.#text.startsWith(expected, at);
  }

  #isBlank(at: number): boolean {
    return at < this.#text.length && blank.test(this.#text.charAt(at));
  }

  #add(kind: TemplateToken["kind"], start: number, end: number): void {
    this.#tokens.push({ kind, text: this.#text.slice(start, end), start, end });
  }
}
