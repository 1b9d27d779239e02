// The cursor all grammar rules share: the text, how far it has been read, and the scope of labels.
// It knows blanks, line breaks, comments and names, and no other rule.

import type { SourceText, Span } from "../../source/source.ts";
import type { Expression, Name } from "../../trees/mapping.ts";
import { missing, type Parsed, ParseFailure } from "./failure.ts";

/** Brackets and blocks may stand this deep in each other; people do not get past ten. */
export const nestingLimit = 200;

const namePattern = /[A-Za-z0-9_]+/y;
const snakePattern = /[a-z0-9_]+/y;

/** A place in a text, moved by the rules as they match. */
export class Reader {
  readonly source: SourceText;
  readonly text: string;
  /** The next character to be read, as a UTF-16 offset. */
  at = 0;
  /** Labels of the lambdas around the place. */
  readonly labels: string[] = [];
  /** Brackets and blocks around the place. */
  depth = 0;
  /**
   * The failure furthest into the text that the grammar let pass, such as the one inside an `else` block
   * that it then takes for no `else` at all. Nearer to the mistake than the failure it leads to.
   */
  passed: ParseFailure | undefined;
  readonly #query: (reader: Reader) => Parsed<Expression>;
  readonly #known = new Map<number, { readonly result: Parsed<Expression>; readonly end: number }>();

  constructor(source: SourceText, query: (reader: Reader) => Parsed<Expression>) {
    this.source = source;
    this.text = source.text;
    this.#query = query;
  }

  /** Reads a query; here so that rules that hold queries need not import the rule that holds them. */
  query(): Parsed<Expression> {
    return this.#query(this);
  }

  /**
   * Reads a query, unless that was done at this place before: what opens a `match` may also be read as an
   * object literal, and without memory each level of such nesting would double the work.
   */
  queryOnce(): Parsed<Expression> {
    const start = this.at;
    const known = this.#known.get(start);
    if (known !== undefined) {
      this.at = known.end;
      return known.result;
    }
    const result = this.query();
    this.#known.set(start, { result, end: this.at });
    return result;
  }

  /** The span from `start` to the place. */
  spanFrom(start: number): Span {
    return { source: this.source, start, end: this.at };
  }

  /** Whether the text goes on with `token`. */
  sees(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Reads `token` if it is next. */
  take(token: string): boolean {
    if (!this.sees(token)) return false;
    this.at += token.length;
    return true;
  }

  /** The failure for a token that is not next; undefined when it is, and then it is read. */
  expect(token: string, name = token): ParseFailure | undefined {
    return this.take(token) ? undefined : missing(this.at, name);
  }

  /** Reads spaces and tabs; false when there are none. */
  skipBlanks(): boolean {
    const start = this.at;
    while (this.sees(" ") || this.sees("\t")) this.at++;
    return this.at > start;
  }

  /** Reads spaces and tabs, of which there must be one. */
  expectBlanks(): ParseFailure | undefined {
    return this.skipBlanks() ? undefined : missing(this.at, "whitespace");
  }

  /** Reads blanks, line breaks and comments. A comment without a line break after it is left standing. */
  skipFreeSpace(): void {
    for (;;) {
      this.skipBlanks();
      const end = this.#lineBreakEnd();
      if (end === undefined) return;
      this.at = end;
    }
  }

  /** Reads one line break, with a comment before it or not. */
  expectLineBreak(): ParseFailure | undefined {
    const end = this.#lineBreakEnd();
    if (end === undefined) return this.#missingLineBreak();
    this.at = end;
    return undefined;
  }

  /** Reads `[A-Za-z0-9_]+`: variables, segments, labels. */
  takeName(): Name | undefined {
    return this.#takePattern(namePattern);
  }

  /** Reads `[a-z0-9_]+`: functions, methods, parameters. */
  takeSnakeName(): Name | undefined {
    return this.#takePattern(snakePattern);
  }

  /** Whether the text has been read to its end. */
  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Goes back to `at` and keeps `failure` as one that the grammar lets pass. */
  passOver(failure: ParseFailure, at: number): void {
    this.at = at;
    if (this.passed === undefined || failure.at > this.passed.at) this.passed = failure;
  }

  /** Reads something one level deeper. */
  nested<T>(read: () => Parsed<T>): Parsed<T> {
    if (this.depth >= nestingLimit) return this.#tooDeep();
    this.depth++;
    const result = read();
    this.depth--;
    return result;
  }

  #tooDeep(): ParseFailure {
    const mistake = {
      code: "GW2022",
      start: this.at,
      end: Math.min(this.at + 1, this.text.length),
      details: { limit: nestingLimit },
    } as const;
    return new ParseFailure(this.at, [], `nested more than ${nestingLimit} levels deep`, mistake);
  }

  /** Where a comment or half a line break stands, the reference misses what should be behind it. */
  #missingLineBreak(): ParseFailure {
    if (!this.sees("#")) return missing(this.sees("\r") ? this.at + 1 : this.at, "line break");
    const end = this.text.length;
    return new ParseFailure(end, ["line break"], undefined, {
      code: "GW2007",
      start: this.at,
      end,
      details: {},
    });
  }

  #lineBreakEnd(): number | undefined {
    const { text, at } = this;
    if (text.startsWith("\n", at)) return at + 1;
    if (text.startsWith("\r\n", at)) return at + 2;
    if (!text.startsWith("#", at)) return undefined;
    const end = text.indexOf("\n", at);
    return end === -1 ? undefined : end + 1;
  }

  #takePattern(pattern: RegExp): Name | undefined {
    const start = this.at;
    pattern.lastIndex = start;
    const text = pattern.exec(this.text)?.[0];
    if (text === undefined) return undefined;
    this.at = start + text.length;
    return { kind: "Name", text, quoted: false, span: this.spanFrom(start) };
  }
}

/** One syntax error. */
export interface Found {
  /** The failure whose position and wording are the reference's. */
  readonly first: ParseFailure;
  /** The failure nearest to the mistake: `first`, or one that the grammar passed over further on. */
  readonly told: ParseFailure;
}

/** The two faces of a failure, given where the reader got to. */
export function find(first: ParseFailure, reader: Reader): Found {
  const { passed } = reader;
  const isNearer = passed !== undefined && passed.at > first.at && first.mistake === undefined;
  return { first, told: isNearer ? passed : first };
}
