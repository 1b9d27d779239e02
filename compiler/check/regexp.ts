// Why a pattern is not a regular expression of RE2, in the words of the library that runs it.

import { RE2JS, RE2JSSyntaxException } from "re2js";

/** Why RE2 cannot read `pattern`, in the library's words; `undefined` when it can. */
export function whyNotRe2(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return error.message;
    throw error;
  }
}

/** What a replacement can name of a pattern: the number of its groups, and their names; `undefined` where RE2 cannot read it. */
export function groupsOf(
  pattern: string,
): { readonly count: number; readonly names: readonly string[] } | undefined {
  if (whyNotRe2(pattern) !== undefined) return undefined;
  const compiled = RE2JS.compile(pattern);
  return { count: compiled.groupCount(), names: Object.keys(compiled.namedGroups()) };
}

/** Why a pattern of JSON Schema cannot be read so, which is written as in JavaScript. */
export function whyNotLinear(pattern: string): string | undefined {
  return whyNotRe2(RE2JS.translateRegExp(pattern));
}
