// Parts of emitted objects that each have a line of their own, below the place where they were written.

import type { Origin } from "../plan/plan.ts";
import { cite } from "./cite.ts";
import { type Code, fragment, hardBreak, indent, join, raw } from "./code.ts";

/** An object with every entry on a line of its own. */
export function entries(written: readonly Code[]): Code {
  const lines = written.map((entry) => join([entry, raw(",")]));
  return join([
    raw("{"),
    indent(fragment([hardBreak]), join(lines, fragment([hardBreak]))),
    fragment([hardBreak]),
    raw("}"),
  ]);
}

/** `what`, below a line that says where it was written. */
export function citing(origin: Origin, label: string | undefined, what: Code): Code {
  return join([cite(origin.span, label), fragment([hardBreak]), what]);
}
