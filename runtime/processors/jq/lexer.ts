// Reads the tokens of a jq query on demand: where a string ends depends on the queries inside it, which the parser
// reads.

/** An invalid query. The message names the place. */
export class JqSyntaxError extends Error {}

/** A token. `text`: the token without the characters that mark its kind. */
export interface Token {
  readonly kind: "end" | "name" | "keyword" | "variable" | "field" | "number" | "format" | "quote" | "symbol";
  readonly text: string;
}

const keywords: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ..."or and module import include def as label break null true false".split(" "),
  ..."if then elif else end try catch reduce foreach".split(" "),
]);
const symbols = /\?\/\/=?|\/\/=|\|=|\+=|-=|\*=|\/=|%=|==|!=|<=|>=|\/\/|\.\.|[.[\]{}(),:;|=<>+\-*/%?]/y;
const spaces = /(?:[ \t\r\n]|#[^\n]*(?:\n|$))*/y;
const names = /[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*/y;
const numbers = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?/y;
const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Reads tokens from a text. */
export class Lexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the next token. Throws a `JqSyntaxError` if the text continues with something else. */
  next(): Token {
    this.#match(spaces);
    const rest = this.#text.charAt(this.#at);
    if (rest === "") return { kind: "end", text: "" };
    if (rest === '"') return { kind: "quote", text: this.#skip(1) };
    if (rest === "@" || rest === "$") {
      this.#at++;
      const name = this.#match(names);
      if (name === undefined) throw new JqSyntaxError(`unexpected token "${rest}"`);
      return rest === "@" ? { kind: "format", text: `@${name}` } : { kind: "variable", text: `$${name}` };
    }
    const number = this.#match(numbers);
    if (number !== undefined) return { kind: "number", text: number };
    if (rest === ".") {
      this.#at++;
      const field = this.#match(names);
      if (field !== undefined && !field.includes("::")) return { kind: "field", text: field };
      this.#at -= 1 + (field?.length ?? 0);
    }
    const name = this.#match(names);
    if (name !== undefined) return { kind: keywords.has(name) ? "keyword" : "name", text: name };
    const symbol = this.#match(symbols);
    if (symbol === undefined) throw new JqSyntaxError(`unexpected token "${rest}"`);
    return { kind: "symbol", text: symbol };
  }

  /** Reads a string up to its end, or up to and including the opening parenthesis of a query in it. */
  textPart(): { readonly text: string; readonly ends: boolean } {
    let text = "";
    for (;;) {
      const character = this.#skip(1);
      if (character === "") throw new JqSyntaxError("unterminated string literal");
      if (character === '"') return { text, ends: true };
      if (character !== "\\") {
        text += character;
        continue;
      }
      const escaped = this.#skip(1);
      if (escaped === "(") return { text, ends: false };
      text += escaped === "u" ? this.#unicode() : this.#simple(escaped);
    }
  }

  #simple(escaped: string): string {
    const character = Object.hasOwn(simpleEscapes, escaped) ? simpleEscapes[escaped] : undefined;
    if (character === undefined)
      throw new JqSyntaxError(`invalid escape sequence "\\${escaped}" in string literal`);
    return character;
  }

  /** Reads a Unicode escape. Lone surrogates become U+FFFD. */
  #unicode(): string {
    const digits = this.#skip(4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits))
      throw new JqSyntaxError(`invalid escape sequence "\\u${digits}" in string literal`);
    const first = String.fromCharCode(Number.parseInt(digits, 16));
    const low = /^\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(this.#text.slice(this.#at, this.#at + 6));
    if (!/[\ud800-\udbff]/.test(first) || low === null) return first.toWellFormed();
    this.#at += 6;
    return first + String.fromCharCode(Number.parseInt(low[1] ?? "", 16));
  }

  #skip(count: number): string {
    const skipped = this.#text.slice(this.#at, this.#at + count);
    this.#at += count;
    return skipped;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found;
  }
}
