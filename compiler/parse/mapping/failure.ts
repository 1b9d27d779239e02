// The result of a grammar rule that does not match: the place, what the rule expected, and whether other rules may
// still be tried. Failures are merged by the reference's own rules, so that the furthest failure has its position and
// wording.

import type { MappingCode, MappingDetails } from "../../diagnostics/catalogue/2-mapping.ts";
import type { SourceText } from "../../source/source.ts";

/** A mistake that has a code of its own, with the text to change. */
export type Mistake = {
  readonly [C in MappingCode]: {
    readonly code: C;
    readonly start: number;
    readonly end: number;
    readonly details: Omit<MappingDetails<C>, "reference">;
  };
}[MappingCode];

/** The failure of a rule to match. Every rule returns `T | ParseFailure`; nothing throws. */
export class ParseFailure {
  /** The place that the reference reports. */
  readonly at: number;
  /** What was expected there, in the reference's words. */
  readonly expected: readonly string[];
  /** Set if no other rule may be tried: `required`, or a sentence of its own. */
  readonly fatal: string | undefined;
  /** Set if the failure is a known mistake; otherwise the mistake is derived from `wanted` and the text. */
  readonly mistake: Mistake | undefined;
  /** What was actually expected: the reference reports `query` for every error in an array. */
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

/** The result of a rule: its node or its failure. */
export type Parsed<T> = T | ParseFailure;

/** Returns a failure after which other rules are tried. */
export function missing(at: number, ...expected: readonly string[]): ParseFailure {
  return new ParseFailure(at, expected);
}

/** Returns a failure after which no other rule is tried: the text so far can be nothing else. */
export function fatal(at: number, text: string, mistake: Mistake): ParseFailure {
  return new ParseFailure(at, [], text, mistake);
}

/** Returns the failure as a final one: the rule had to match here. */
export function required(failure: ParseFailure): ParseFailure {
  if (failure.fatal !== undefined) return failure;
  return new ParseFailure(failure.at, failure.expected, "required", failure.mistake, failure.wanted);
}

/** Returns the failure with other words; a final failure keeps its own. */
export function named(failure: ParseFailure, ...expected: readonly string[]): ParseFailure {
  if (failure.fatal !== undefined) return failure;
  return new ParseFailure(failure.at, expected, undefined, failure.mistake, failure.wanted);
}

/** Returns the failure that got further of two rules tried at one place, or both joined if they got equally far. */
export function furthest(first: ParseFailure, second: ParseFailure): ParseFailure {
  if (second.at > first.at) return second;
  return second.at < first.at ? first : joined(first, second);
}

/** Returns the first failure, extended by what the second one expected, at whatever place. */
export function joined(first: ParseFailure, second: ParseFailure): ParseFailure {
  return new ParseFailure(
    first.at,
    [...first.expected, ...second.expected],
    first.fatal ?? second.fatal,
    first.mistake ?? second.mistake,
    [...first.wanted, ...second.wanted],
  );
}

/** Returns the reference's wording without its position: `required: expected a, b, or c`. */
export function referenceText(failure: ParseFailure): string {
  const { fatal: lead, expected } = failure;
  if (expected.length === 0) return lead ?? "encountered unexpected input";
  const names = [...new Set(expected)];
  // If several rules expected the same name, the reference lists it like the last of several.
  const isOnlyTwice = names.length === 1 && expected.length > 1;
  const list = `expected ${isOnlyTwice ? " or " : ""}${joinAlternatives(names)}`;
  return lead === undefined ? list : `${lead}: ${list}`;
}

/** Returns `line 3 char 11: expected line break`, as the reference reports errors of mappings. */
export function mappingReference(source: SourceText, failure: ParseFailure): string {
  const { line, column } = referencePosition(source.text, failure.at);
  return `line ${line} char ${column}: ${referenceText(failure)}`;
}

/** Returns `char 22: required: expected end of expression`, as the reference reports errors of templates. */
export function templateReference(source: SourceText, failure: ParseFailure): string {
  return `char ${countCodePoints(source.text.slice(0, failure.at)) + 1}: ${referenceText(failure)}`;
}

function joinAlternatives(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  const comma = names.length > 2 ? "," : "";
  return `${names.slice(0, -1).join(", ")}${comma} or ${names.at(-1)}`;
}

/**
 * Returns the line and column as the reference counts them: it subtracts byte lengths of lines from a count of code
 * points, so places after non-ASCII text are too early. Kept the same because users compare the texts.
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
