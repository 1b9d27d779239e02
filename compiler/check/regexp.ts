// Explains why a pattern is not a regular expression of RE2, in the words of the library that runs it.

import { RE2JS, RE2JSSyntaxException } from "re2js";

/** Returns why RE2 cannot read `pattern`, in the library's words; `undefined` if it can. */
export function whyNotRe2(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return error.message;
    throw error;
  }
}

/**
 * Returns the number and the names of a pattern's groups, for replacements; `undefined` if RE2 cannot read the pattern.
 */
export function groupsOf(
  pattern: string,
): { readonly count: number; readonly names: readonly string[] } | undefined {
  if (whyNotRe2(pattern) !== undefined) return undefined;
  const compiled = RE2JS.compile(pattern);
  return { count: compiled.groupCount(), names: Object.keys(compiled.namedGroups()) };
}

/** Returns why RE2 cannot read a pattern of JSON Schema, which has the syntax of JavaScript. */
export function whyNotLinear(pattern: string): string | undefined {
  return whyNotRe2(RE2JS.translateRegExp(pattern));
}
