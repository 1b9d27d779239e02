// Matches `pattern` of schemas in time linear in the length of the value.

import { RE2JS } from "re2js";

/** Compiles a pattern, which was validated when the gateway was built. */
export function linearPattern(pattern: string): { test(text: string): boolean } {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.matcher(text).find() };
}
