// `pattern` of schemas, matched in time that is linear in the length of the value.

import { RE2JS } from "re2js";

/** Looks for the pattern in texts; what the patterns of a gateway are was looked at when it was built. */
export function linearPattern(pattern: string): { test(text: string): boolean } {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.matcher(text).find() };
}
