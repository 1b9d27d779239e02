// Arguments that are regular expressions.

import { whyNotRe2 } from "../../regexp.ts";
import type { KnownArguments } from "./rules.ts";

/** `.re_match(pattern)` and its like. */
export function checkPattern([pattern]: KnownArguments): string | undefined {
  return typeof pattern === "string" ? whyNotRe2(pattern) : undefined;
}
