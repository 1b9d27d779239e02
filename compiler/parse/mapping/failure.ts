// What a rule of the grammar returns when it does not match: where, what it would have taken, and
// whether other rules may still be tried. The merging rules are the reference's own, so that the
// furthest failure carries its position and its wording.

import type { MappingCode, MappingDetails } from "../../diagnostics/catalogue/2-mapping.ts";
import type { SourceText } from "../../source/source.ts";

/** A mistake that has a code of its own, with the text to be changed. */
export type Mistake = {
  readonly [C in MappingCode]: {
    readonly code: C;
    readonly start: number;
    readonly end: number;
    readonly details: Omit<MappingDetails<C>, "reference">;
  };
}[MappingCode];

/** A rule did not match. `T | Failure` is what every rule returns; nothing throws. */
export class ParseFailure {
  /** Where the reference places the failure. */
  readonly at: number;
  /** What would have been taken there, in the reference's words. */
  readonly expected: readonly string[];
  /** Set when no other rule may be tried: `required`, or a sentence of its own. */
  readonly fatal: string | undefined;
  /** Set when the failure is a known mistake; otherwise it follows from `wanted` and the text. */
  readonly mistake: Mistake | undefined;
  /** What would really have been taken: the reference says `query` for all that goes wrong in an array. */
  readonly wanted: readonly string[];

  constructor(
    at: number,
    expected: readonly string[],
    fatal?: string,
    mistake?: Mistake,
    wanted: readonly string[] = expected,
  ) {
    this.at = at;
    this.expected = expected;
    this.fatal = fatal;
    this.mistake = mistake;
    this.wanted = wanted;
  }
}

/** What a rule yields: its node, or why there is none. */
export type Parsed<T> = T | ParseFailure;

/** A failure after which other rules are tried. */
export function missing(at: number, ...expected: readonly string[]): ParseFailure {
  return new ParseFailure(at, expected);
}

/** A failure that ends the search: the text so far can be nothing else. */
export function fatal(at: number, text: string, mistake: Mistake): ParseFailure {
  return new ParseFailure(at, [], text, mistake);
}

/** The failure, made final: the rule had to match here. */
export function required(failure: ParseFailure): ParseFailure {
  if (failure.fatal !== undefined) return failure;
  return new ParseFailure(failure.at, failure.expected, "required", failure.mistake, failure.wanted);
}

/** The failure in other words; a final one keeps its own. */
export function named(failure: ParseFailure, ...expected: readonly string[]): ParseFailure {
  if (failure.fatal !== undefined) return failure;
  return new ParseFailure(failure.at, expected, undefined, failure.mistake, failure.wanted);
}

/** Of two rules tried at one place: the failure that got further, or both joined. */
export function furthest(first: ParseFailure, second: ParseFailure): ParseFailure {
  if (second.at > first.at) return second;
  return second.at < first.at ? first : joined(first, second);
}

/** The first failure with what the second would have taken added, wherever that was. */
export function joined(first: ParseFailure, second: ParseFailure): ParseFailure {
  return new ParseFailure(
    first.at,
    [...first.expected, ...second.expected],
    first.fatal ?? second.fatal,
    first.mistake ?? second.mistake,
    [...first.wanted, ...second.wanted],
  );
}

/** The reference's wording without its position: `required: expected a, b, or c`. */
export function referenceText(failure: ParseFailure): string {
  const { fatal: lead, expected } = failure;
  if (expected.length === 0) return lead ?? "encountered unexpected input";
  const names = [...new Set(expected)];
  // One name that several rules missed is listed by the reference as the last of several.
  const isOnlyTwice = names.length === 1 && expected.length > 1;
  const list = `expected ${isOnlyTwice ? " or " : ""}${joinAlternatives(names)}`;
  return lead === undefined ? list : `${lead}: ${list}`;
}

/** `line 3 char 11: expected line break`, as the reference reports errors of mappings. */
export function mappingReference(source: SourceText, failure: ParseFailure): string {
  const { line, column } = referencePosition(source.text, failure.at);
  return `line ${line} char ${column}: ${referenceText(failure)}`;
}

/** `char 22: required: expected end of expression`, as the reference reports errors of templates. */
export function templateReference(source: SourceText, failure: ParseFailure): string {
  return `char ${countCodePoints(source.text.slice(0, failure.at)) + 1}: ${referenceText(failure)}`;
}

function joinAlternatives(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  const comma = names.length > 2 ? "," : "";
  return `${names.slice(0, -1).join(", ")}${comma} or ${names.at(-1)}`;
}

/**
 * Line and column as the reference counts them: it takes byte lengths of lines off a count of code
 * points, so a place after non-ASCII text is reported too early. Kept, because users compare texts.
 */
function referencePosition(text: string, at: number): { line: number; column: number } {
  let left = countCodePoints(text.slice(0, at));
  const lines = text.split("\n");
  let index = 0;
  for (; index < lines.length; index++) {
    const bytes = Buffer.byteLength(lines[index] ?? "");
    if (left < bytes + 1) break;
    left -= bytes + 1;
  }
  return { line: index + 1, column: left + 1 };
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
