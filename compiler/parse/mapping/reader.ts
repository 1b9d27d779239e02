// The cursor that all grammar rules share: the text, the current place and the labels in scope. It reads only blanks,
// line breaks, comments and names.

import type { SourceText, Span } from "../../source/source.ts";
import type { Expression, Name } from "../../trees/mapping.ts";
import { missing, type Parsed, ParseFailure } from "./failure.ts";

/** The maximum nesting of brackets and blocks; hand-written mappings do not exceed ten. */
const nestingLimit = 200;

const namePattern = /[A-Za-z0-9_]+/y;
const snakePattern = /[a-z0-9_]+/y;

/** A place in a text, which the rules advance as they match. */
export class Reader {
  readonly source: SourceText;
  readonly text: string;
  /** The UTF-16 offset of the next character to read. */
  at = 0;
  /** The labels of the lambdas around the place. */
  readonly labels: string[] = [];
  /** The number of brackets and blocks around the place. */
  depth = 0;
  /**
   * The failure furthest into the text that the grammar ignored, such as one inside an `else` block, which the grammar
   * then does not accept as `else` at all. It is nearer to the mistake than the failure that follows from it.
   */
  passed: ParseFailure | undefined;
  readonly #query: (reader: Reader) => Parsed<Expression>;
  readonly #known = new Map<number, { readonly result: Parsed<Expression>; readonly end: number }>();

  constructor(source: SourceText, query: (reader: Reader) => Parsed<Expression>) {
    this.source = source;
    this.text = source.text;
    this.#query = query;
  }

  /** Reads a query. A method, so that rules that contain queries need not import the query rule. */
  query(): Parsed<Expression> {
    return this.#query(this);
  }

  /**
   * Reads a query, or returns the earlier result at this place: the opening of a `match` may also be read as an object
   * literal, and without this cache each nesting level would double the work.
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

  /** Returns the span from `start` to the current place. */
  spanFrom(start: number): Span {
    return { source: this.source, start, end: this.at };
  }

  /** Whether `token` is next. */
  sees(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Reads `token` if it is next; returns whether it was. */
  take(token: string): boolean {
    if (!this.sees(token)) return false;
    this.at += token.length;
    return true;
  }

  /** Reads `token` if it is next; returns a failure if it is not. */
  expect(token: string, name = token): ParseFailure | undefined {
    return this.take(token) ? undefined : missing(this.at, name);
  }

  /** Reads spaces and tabs; returns false if there are none. */
  skipBlanks(): boolean {
    const start = this.at;
    while (this.sees(" ") || this.sees("\t")) this.at++;
    return this.at > start;
  }

  /** Reads at least one space or tab; returns a failure if there is none. */
  expectBlanks(): ParseFailure | undefined {
    return this.skipBlanks() ? undefined : missing(this.at, "whitespace");
  }

  /** Reads blanks, line breaks and comments. Does not read a comment without a line break after it. */
  skipFreeSpace(): void {
    for (;;) {
      this.skipBlanks();
      const end = this.#lineBreakEnd();
      if (end === undefined) return;
      this.at = end;
    }
  }

  /** Reads one line break with an optional comment before it. */
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

  /** Goes back to `at` and records `failure` as one that the grammar ignores. */
  passOver(failure: ParseFailure, at: number): void {
    this.at = at;
    if (this.passed === undefined || failure.at > this.passed.at) this.passed = failure;
  }

  /** Reads something one nesting level deeper. */
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

  /** At a comment or an incomplete line break, the reference reports a missing token after it. */
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
  /** The failure with the reference's position and wording. */
  readonly first: ParseFailure;
  /** The failure nearest to the mistake: `first`, or a later one that the grammar ignored. */
  readonly nearest: ParseFailure;
}

/** Returns both forms of a failure, given the state of the reader. */
export function find(first: ParseFailure, reader: Reader): Found {
  const { passed } = reader;
  const isNearer = passed !== undefined && passed.at > first.at && first.mistake === undefined;
  return { first, nearest: isNearer ? passed : first };
}
