// Layouts of dates and times: those of another language hold nothing that is replaced.

import type { Report } from "../../diagnostics/sink.ts";
import type { Expression, FunctionCall, MethodCall } from "../../trees/mapping.ts";

const byReference: ReadonlySet<string> = new Set([
  "format_timestamp",
  "parse_timestamp",
  "ts_format",
  "ts_parse",
]);
const byDirectives: ReadonlySet<string> = new Set([
  "format_timestamp_strftime",
  "parse_timestamp_strptime",
  "ts_strftime",
  "ts_strptime",
]);

/** Reports `ts_format("YYYY-MM-DD")` and `ts_strftime("2006-01-02")`, which give the layout itself. */
export function checkLayout(
  call: FunctionCall | MethodCall,
  layout: Expression | undefined,
  report: Report,
): void {
  if (layout?.kind !== "StringLiteral" || layout.value === "") return;
  const { value } = layout;
  const isReference = byReference.has(call.name.text);
  if (!isReference && !byDirectives.has(call.name.text)) return;
  const holdsParts = isReference ? /[0-6]|Jan|Mon|MST|PM|pm/.test(value) : value.includes("%");
  if (!holdsParts) report("GW3128", layout.span, { layout: value, isReference });
}
