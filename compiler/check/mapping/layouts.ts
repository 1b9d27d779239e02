// Layouts of dates, times and texts: those of another language hold nothing that is replaced.

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

/** Verbs of a format, each of which takes an argument; `%%` is the sign itself. */
export const verbs = /%[-+# 0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?<verb>[A-Za-z%])/g;

/** Reports `"{} {}".format(a, b)` and `"%s %s".format(a)`: values that no verb stands for, or the other way round. */
export function checkFormat(call: FunctionCall | MethodCall, report: Report): void {
  if (call.kind !== "MethodCall" || call.name.text !== "format") return;
  const { receiver, args } = call;
  // Arguments with an index are counted otherwise, and a star takes one more.
  if (receiver.kind !== "StringLiteral" || /%[^A-Za-z%]*[[*]/.test(receiver.value)) return;
  const count = [...receiver.value.matchAll(verbs)].filter(({ groups }) => groups?.verb !== "%").length;
  if (count !== args.length) report("GW3131", receiver.span, { verbs: count, values: args.length });
}

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

/** Methods that ask each element for what they compare. */
const comparing: ReadonlySet<string> = new Set(["sort_by", "unique"]);

/** Reports `sort_by("quantity")`: the text is the same for every element. */
export function checkOrder(
  call: FunctionCall | MethodCall,
  by: Expression | undefined,
  report: Report,
): void {
  if (by?.kind !== "StringLiteral" || !comparing.has(call.name.text)) return;
  report("GW3132", by.span, { method: call.name.text, text: by.value });
}
