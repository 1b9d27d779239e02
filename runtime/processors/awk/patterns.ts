// Regular expressions of AWK programs, which match bytes: a text has one character per byte.

import type { Matcher, RE2JS } from "re2js";
import { compiledRegexp, eachMatch, partsBetween } from "../../mapping/regexp.ts";
import { mostBytes, refuseLarger } from "../../mapping/size-limits.ts";
import { fromBytewise } from "../../text/utf8.ts";
import { spend } from "../jq/run.ts";
import { failure } from "./values.ts";

/** Returns a compiled pattern, in which `.` also matches line ends. Calls `fail`, which throws, if it is invalid. */
export function patternOf(
  source: string,
  fail: (reason: string) => never = (reason) => {
    throw failure(`invalid regex "${source}": ${reason}`);
  },
): RE2JS {
  const text = fromBytewise(source);
  if (!text.isWellFormed()) return fail("invalid UTF-8");
  const whole = `(?s:${text})`;
  return compiledRegexp(whole, (reason) => fail(reason.replace(whole, () => text)));
}

const ascii = /^[\0-\x7f]*$/;

/** Returns what the library matches, and counts the cost: each character takes as long as several steps. */
function subject(text: string): string | Uint8Array {
  spend(4 + (text.length >> 1));
  return ascii.test(text) ? text : Buffer.from(text, "latin1");
}

/** Returns a matcher, whose offsets are those of the text. */
export function searchIn(pattern: RE2JS, text: string): Matcher {
  return pattern.matcher(subject(text));
}

export function matches(pattern: RE2JS, text: string): boolean {
  return searchIn(pattern, text).find();
}

/** Returns the first match, as offsets. */
export function firstMatch(
  pattern: RE2JS,
  text: string,
): { readonly start: number; readonly end: number } | undefined {
  const matcher = searchIn(pattern, text);
  return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
}

/** Returns the parts between the matches. */
export function splitAt(pattern: RE2JS, text: string): string[] {
  return partsBetween(text, -1, (visit) =>
    eachMatch(pattern, subject(text), (matcher) => {
      spend(1);
      visit(matcher);
    }),
  );
}

/** Replaces the first match, or all. In `replacement`, `&` is the match. Returns the text and the number of replacements. */
export function replaced(
  pattern: RE2JS,
  replacement: string,
  text: string,
  isGlobal: boolean,
): { readonly text: string; readonly count: number } {
  const parts = partsOf(replacement);
  let result = "";
  let copied = 0;
  let count = 0;
  eachMatch(pattern, subject(text), (matcher) => {
    if (count > 0 && !isGlobal) return;
    spend(1);
    count++;
    result += text.slice(copied, matcher.start()) + parts.join(text.slice(matcher.start(), matcher.end()));
    copied = matcher.end();
    refuseLarger("gsub", result.length, mostBytes);
  });
  spend(result.length >> 4);
  return { text: result + text.slice(copied), count };
}

/** Returns the parts of a replacement between the places of the match. */
function partsOf(replacement: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < replacement.length; at++) {
    const character = replacement.charAt(at);
    const next = replacement.charAt(at + 1);
    if (character === "&") {
      parts.push(part);
      part = "";
    } else if (character === "\\" && (next === "&" || next === "\\")) {
      part += next;
      at++;
    } else part += character;
  }
  return [...parts, part];
}
