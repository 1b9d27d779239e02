// Matches names against patterns that readers use: filters of subjects and topics, regular expressions, globs,
// binding keys.

import { RE2JS } from "re2js";
import { whyNotRe2 } from "../../compiler/check/regexp.ts";

/** A syntax for patterns of names. */
export type NamePattern = Filter | { readonly kind: "regexp" | "glob" };

/** Names that consist of parts, with wildcards for one part and for all following parts. */
interface Filter {
  readonly kind: "filter";
  readonly separator: string;
  readonly one: string;
  readonly rest: string;
  /** Whether the wildcard for the rest also matches no part at all. */
  readonly isRestEmpty: boolean;
}

/** The key patterns of bindings to topic exchanges (AMQP 0-9-1, section 3.1.3.3). */
export const bindingPattern: NamePattern = {
  kind: "filter",
  separator: ".",
  one: "*",
  rest: "#",
  isRestEmpty: true,
};

/** Whether the pattern `written` matches `name`. An invalid pattern matches nothing. */
export function matchesPattern(written: string, name: string, pattern: NamePattern): boolean {
  if (pattern.kind === "filter")
    return matchesParts(written.split(pattern.separator), name.split(pattern.separator), pattern);
  // Uses an engine without backtracking, since the pattern is any text that was typed so far.
  const source = pattern.kind === "glob" ? regexpOfGlob(written) : written;
  return whyNotRe2(source) === undefined && RE2JS.compile(source).matcher(name).find();
}

function matchesParts(wanted: readonly string[], given: readonly string[], filter: Filter): boolean {
  const { one, rest, isRestEmpty } = filter;
  // For each beginning of the filter, the numbers of given parts that it can match.
  let reached = new Set([0]);
  for (const part of wanted) {
    const next = new Set<number>();
    for (const at of reached) {
      if (part === rest) for (let to = at + (isRestEmpty ? 0 : 1); to <= given.length; to++) next.add(to);
      else if (at < given.length && (part === one || part === given[at])) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(given.length);
}

/** Converts a glob of Redis (`*`, `?`, `[a-z]` and escapes) to a regular expression for the whole name. */
function regexpOfGlob(glob: string): string {
  const parts = glob.match(/\\[\s\S]|\[\^?[^\]]*\]|[\s\S]/g) ?? [];
  const written = parts.map((part) => {
    if (part === "*") return "[\\s\\S]*";
    if (part === "?") return "[\\s\\S]";
    if (part.length > 1 && part.startsWith("[")) return part;
    return (part.startsWith("\\") ? part.slice(1) : part).replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
  return `^${written.join("")}$`;
}
