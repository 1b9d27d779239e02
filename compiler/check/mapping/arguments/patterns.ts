// Regular expressions. In comes a known pattern, out comes why it is none: the same library as at run time
// says so.

import { RE2JS, RE2JSSyntaxException } from "re2js";
import type { KnownArguments } from "./rules.ts";

/** `.re_match(pattern)` and its like. */
export function checkPattern([pattern]: KnownArguments): string | undefined {
  if (typeof pattern !== "string") return undefined;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return error.message;
    throw error;
  }
}
