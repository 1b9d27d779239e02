// Checks texts with placeholders and queries of order: layouts of dates and times from another language, `format`
// verbs, queries of `sort` and `sort_by` that belong to the other method, and replacements with groups that the pattern
// lacks.

import type { Report } from "../../diagnostics/sink.ts";
import type { CallNode, Expression } from "../../trees/mapping.ts";
import { groupsOf } from "../regexp.ts";

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

/** The verbs of a format, each of which needs an argument; `%%` is a literal percent sign. */
export const verbs = /%[-+# 0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?<verb>[A-Za-z%])/g;

/** Reports `"{} {}".format(a, b)` and `"%s %s".format(a)`: the numbers of verbs and values differ. */
export function checkFormat(call: CallNode, report: Report): void {
  if (call.kind !== "MethodCall" || call.name.text !== "format") return;
  const { receiver, args } = call;
  // Arguments with an index are counted differently, and a star needs an additional one.
  if (receiver.kind !== "StringLiteral" || /%[^A-Za-z%]*[[*]/.test(receiver.value)) return;
  const count = [...receiver.value.matchAll(verbs)].filter(({ groups }) => groups?.verb !== "%").length;
  if (count !== args.length) report("GW3131", receiver.span, { verbs: count, values: args.length });
}

/** Reports `ts_format("YYYY-MM-DD")` and `ts_strftime("2006-01-02")`, which return the layout itself. */
export function checkLayout(call: CallNode, layout: Expression | undefined, report: Report): void {
  if (layout?.kind !== "StringLiteral" || layout.value === "") return;
  const { value } = layout;
  const isReference = byReference.has(call.name.text);
  if (!isReference && !byDirectives.has(call.name.text)) return;
  const holdsParts = isReference ? /[0-6]|Jan|Mon|MST|PM|pm/.test(value) : value.includes("%");
  if (!holdsParts) report("GW3128", layout.span, { layout: value, isReference });
  const swapped = swappedParts.find(
    ({ pattern, unless }) => pattern.test(value) && unless?.test(value) !== true,
  );
  if (!isReference || swapped === undefined) return;
  const { fault, meant, pattern } = swapped;
  const corrected = value.replace(pattern, meant);
  // With another example of a date, month and day are others too.
  const isOtherDate = meant === "2006" && !referenceDay.test(corrected);
  report("GW3128", layout.span, {
    layout: value,
    isReference,
    fault,
    meant: isOtherDate ? undefined : corrected,
  });
}

/** Matches a layout with the month and the day of the reference time, or without a day. */
const referenceDay =
  /^(?=.*(?:(?<![0-9])0?1(?![0-9])|Jan))(?:.*(?<![0-9])[0_]?2(?![0-9])|[^0-9]*2006[^0-9]*0?1[^0-9]*$)/;

/** Parts of layouts that show a unit other than the one that stands at their place in every notation of time. */
const swappedParts: readonly {
  readonly pattern: RegExp;
  readonly unless?: RegExp;
  readonly meant: string;
  readonly fault: string;
}[] = [
  {
    pattern: /(?<![0-9])2006([-/.]?)02\1(?:01)(?![0-9])/,
    meant: "2006$101$102",
    fault: "the day before the month after a year",
  },
  { pattern: /(?<=2006[-/.]?)04(?=[-/.]?02)/, meant: "01", fault: "minutes in place of the month" },
  { pattern: /(?<=(?:15|0?3):)0?1(?![0-9])/, meant: "04", fault: "the month in place of minutes" },
  {
    pattern: /(?<![0-9])(?:19[5-9][0-9]|20(?:0[0-57-9]|[1-9][0-9]))(?=[-/.]|$)(?![-/.]0?[3-9][-/.])/,
    meant: "2006",
    fault: "a year other than 2006",
  },
  {
    pattern: /(?<![0-9.,])0?3(?=:04)/,
    meant: "15",
    fault: "hours from 1 to 12 without `PM`",
    unless: /PM|pm/,
  },
];

/** How the texts of a format are parsed. */
interface TextFormat {
  readonly reference: RegExp;
  readonly directives: RegExp;
  readonly layout: { readonly reference: string; readonly directives: string };
}

/** The formats of JSON Schema for times, with every layout that may read a text of theirs. */
const textFormats: ReadonlyMap<string, TextFormat> = new Map([
  [
    "date",
    {
      reference: /^2006-0?1-[_0]?2$/,
      directives: /^%(?:F|Y-%-?m-%-?[de])$/,
      layout: { reference: "2006-01-02", directives: "%Y-%m-%d" },
    },
  ],
  [
    "date-time",
    {
      reference: /^2006-0?1-[_0]?2[Tt ]\d\d?:\d\d?/,
      directives: /^%(?:[+cs]|(?:F|Y-%-?m-%-?[de])[Tt ]%)/,
      layout: { reference: "2006-01-02T15:04:05Z07:00", directives: "%Y-%m-%dT%H:%M:%S%z" },
    },
  ],
]);

/**
 * Returns the layout that reads texts of `format`, if a method parses them with one that never does, or reads them
 * without one although it expects `date-time`.
 */
export function meantLayout(name: string, layout: string | undefined, format: string): string | undefined {
  const known = textFormats.get(format);
  if (known === undefined) return undefined;
  if (layout === undefined) return format === "date" ? known.layout.reference : undefined;
  const notation = byReference.has(name) ? "reference" : "directives";
  // A layout without parts of a time is reported as such.
  const isLayout = notation === "reference" ? /0[126]|Jan|Mon/.test(layout) : layout.includes("%");
  return isLayout && !known[notation].test(layout) ? known.layout[notation] : undefined;
}

const replacing: ReadonlySet<string> = new Set(["re_replace", "re_replace_all"]);

/**
 * Reports `re_replace_all("a(.)", "$2")`, and `"$1st"`, which means a group named `1st`. References to groups that the
 * pattern does not have are replaced by nothing.
 */
export function checkReplacement(
  call: CallNode,
  [pattern, replacement]: readonly (Expression | undefined)[],
  report: Report,
): void {
  if (!replacing.has(call.name.text)) return;
  if (pattern?.kind !== "StringLiteral" || replacement?.kind !== "StringLiteral") return;
  const groups = replacement.value.includes("$") ? groupsOf(pattern.value) : undefined;
  if (groups === undefined) return;
  for (const [written, inBraces, bare] of replacement.value.matchAll(groupReference)) {
    const name = inBraces ?? bare;
    if (name === undefined || groups.names.includes(name)) continue;
    if (/^\d+$/.test(name) && Number(name) <= groups.count) continue;
    report("GW3135", replacement.span, {
      written,
      count: groups.count,
      meant: meantReference(bare, groups.count),
    });
    return;
  }
}

/** Returns `${1}st` for `$1st`. */
function meantReference(name: string | undefined, count: number): string | undefined {
  const [, digits, rest] = /^(\d+)(\D.*)$/.exec(name ?? "") ?? [];
  return digits !== undefined && Number(digits) <= count ? `\${${digits}}${rest}` : undefined;
}

/** Matches a group reference as the method reads it: `$$` is a literal dollar sign. */
const groupReference = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu;

/** Methods that run a query on each element and compare the results. */
const comparing: ReadonlySet<string> = new Set(["sort_by", "unique"]);

/**
 * Reports `sort_by("quantity")`, because the text is the same for every element, and a query that belongs to the other
 * one of `sort` and `sort_by`.
 */
export function checkOrder(call: CallNode, by: Expression | undefined, report: Report): void {
  const { text } = call.name;
  const swapped = swappedOrder(call, by);
  if (by !== undefined && swapped !== undefined) {
    const { source, start, end } = by.span;
    const written = source.text.slice(start, end);
    report("GW3134", by.span, { method: text, path: swapped.join("."), written });
  } else if (by?.kind === "StringLiteral" && comparing.has(text))
    report("GW3132", by.span, { method: text, text: by.value });
}

const sides: readonly (string | undefined)[] = ["left", "right"];

/** Operators that order two values. */
const orderSigns: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

/**
 * Returns the path that `sort_by(left.n < right.n)`, `sort(each -> each.n)` and `sort("n")` mean: the query of `sort`
 * reads `left` and `right`, that of `sort_by` one element. `undefined` if the query may be right for its method.
 */
export function swappedOrder({ name }: CallNode, by: Expression | undefined): readonly string[] | undefined {
  const query = by?.kind === "Lambda" ? by.body : by;
  const parameter = by?.kind === "Lambda" ? by.parameter.text : undefined;
  if (name.text === "sort") {
    if (query?.kind === "StringLiteral") return [query.value];
    const path = query && pathWithin(query, parameter);
    return path === undefined || path.length === 0 || sides.includes(path[0]) ? undefined : path;
  }
  if (name.text !== "sort_by" || query?.kind !== "Binary" || !orderSigns.has(query.operator))
    return undefined;
  const [left, right] = [query.left, query.right].map((each) => pathWithin(each, parameter));
  const isBoth = left?.[0] !== right?.[0] && sides.includes(left?.[0]) && sides.includes(right?.[0]);
  return isBoth ? left?.slice(1) : undefined;
}

/** Returns the names from the argument of a query to a field of it; `undefined` for other expressions. */
function pathWithin(node: Expression, parameter: string | undefined): readonly string[] | undefined {
  if (node.kind === "Group") return pathWithin(node.inner, parameter);
  if (node.kind === "This") return parameter === undefined ? [] : undefined;
  if (node.kind === "ContextName") return node.name === parameter ? [] : undefined;
  if (node.kind !== "FieldAccess") return undefined;
  const before = pathWithin(node.receiver, parameter);
  return before && [...before, node.name.text];
}
