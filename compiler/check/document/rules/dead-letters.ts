// `error_handling`: `dead_letter` and its output belong together.

import type { Report } from "../../../diagnostics/sink.ts";
import { findEntry, findText, type MapNode } from "../../../parse/document/tree.ts";

/** Reports `dead_letter` without an output, and an output nothing is handed to. */
export function checkDeadLetter(errorHandling: MapNode | undefined, report: Report): void {
  const strategy = findEntry(errorHandling, "strategy");
  const output = findEntry(errorHandling, "output");
  const isDeadLetter = findText(strategy?.value) === "dead_letter";
  if (strategy !== undefined && isDeadLetter && output === undefined)
    report("GW4040", strategy.value.span, {});
  if (output !== undefined && !isDeadLetter) {
    report("GW4033", output.keySpan, { field: "output", needs: ["strategy: dead_letter"] });
  }
}
