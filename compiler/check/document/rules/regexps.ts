// Regular expressions of the engine that runs them: `x-regexp` of schemas.

import type { Report } from "../../../diagnostics/sink.ts";
import { literalText } from "../../../trees/fields.ts";
import { whyNotRe2 } from "../../regexp.ts";
import { reportVariablesInPattern } from "../request-parts.ts";
import type { SchemedValue } from "../values.ts";

/** Reports a pattern that its engine does not take; the library that runs it says so. */
export function checkRegexps({ name, value, schema }: SchemedValue, report: Report): void {
  if (schema["x-regexp"] === "re2") reportVariablesInPattern(value, name, report);
  const pattern = schema["x-regexp"] === "re2" ? literalText(value) : undefined;
  if (pattern === undefined || whyNotRe2(pattern) === undefined) return;
  report("GW4015", value.span, { field: name, value: pattern, expected: "a regular expression of RE2" });
}
