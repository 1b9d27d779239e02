// A configured value: the rules that look at one value, for it and all within it.

import type { Report } from "../../diagnostics/sink.ts";
import { valueRules } from "./rules.ts";
import { type SchemedValue, valuesWithin } from "./values.ts";

/** Checks a value that was read by its schema. Components inside are not looked at. */
export function checkValues(whole: SchemedValue, report: Report): void {
  for (const value of valuesWithin(whole)) {
    for (const rule of valueRules) rule(value, report);
  }
}
