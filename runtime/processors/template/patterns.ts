// Functions with regular expressions of RE2.

import { type Matcher, RE2JS } from "re2js";
import { compiledRegexp, eachMatch, partsBetween, reReplaceAll } from "../../mapping/regexp.ts";
import { mostBytes, refuseLarger } from "../../mapping/size-limits.ts";
import { spend, spendOnText } from "../jq/run.ts";
import { failure, List } from "./values.ts";

function refuse(reason: string): never {
  throw failure(reason);
}

/** Visits at most `most` matches, all if it is negative. */
function matches(pattern: string, text: string, most: number, visit: (matcher: Matcher) => void): void {
  spendOnText(text);
  let left = most < 0 ? Number.POSITIVE_INFINITY : most;
  eachMatch(compiledRegexp(pattern, refuse), text, (matcher) => {
    spend(1);
    if (left-- > 0) visit(matcher);
  });
}

/** Whether a pattern matches. An invalid one does not. */
export function regexMatch(pattern: string, text: string): boolean {
  return compiledIfValid(pattern)?.matcher(text).find() === true;
}

function compiledIfValid(pattern: string) {
  try {
    return compiledRegexp(pattern, refuse);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "MappingError") throw error;
    return undefined;
  }
}

export function mustRegexMatch(pattern: string, text: string): boolean {
  spendOnText(text);
  return compiledRegexp(pattern, refuse).matcher(text).find();
}

export function regexFindAll(pattern: string, text: string, most: number): List {
  const found: string[] = [];
  matches(pattern, text, most, (matcher) => found.push(matcher.group() ?? ""));
  return new List(found, "string", found.length === 0);
}

export function regexFind(pattern: string, text: string): string {
  const matcher = compiledRegexp(pattern, refuse).matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

export function regexReplaceAll(pattern: string, text: string, replacement: string): string {
  const result = reReplaceAll(text, "", pattern, replacement);
  refuseLarger("regexReplaceAll", result.length, mostBytes);
  spendOnText(result);
  return result;
}

export function regexReplaceAllLiteral(pattern: string, text: string, replacement: string): string {
  const parts: string[] = [];
  let copied = 0;
  matches(pattern, text, -1, (matcher) => {
    parts.push(text.slice(copied, matcher.start()));
    copied = matcher.end();
  });
  refuseLarger("regexReplaceAllLiteral", text.length + parts.length * replacement.length, mostBytes);
  return [...parts, text.slice(copied)].join(replacement);
}

export function regexSplit(pattern: string, text: string, most: number): List {
  if (most === 0) return new List([], "string", true);
  compiledRegexp(pattern, refuse);
  if (pattern !== "" && text === "") return new List([""], "string");
  const parts = partsBetween(text, most, (visit) => matches(pattern, text, most, visit));
  return new List(parts, "string", parts.length === 0);
}

export function regexQuoteMeta(text: string): string {
  return RE2JS.quote(text);
}
