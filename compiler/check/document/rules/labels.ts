// Labels: what people see is what was written.

import { mentionsEnvironment } from "../../../../schemas/environment-reference.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findNode } from "../../../trees/document.ts";

/** Reports a label that is to take something from messages or from the environment. */
export function checkLabel({ node }: ComponentNode, report: Report): void {
  const label = findNode(node, "label");
  if (label?.kind !== "scalar" || typeof label.value !== "string") return;
  if (label.value.includes("${!")) report("GW4021", label.span, { field: "label" });
  // In a label `${{` is no escape, as there is nothing to escape.
  else if (mentionsEnvironment(label.value.replaceAll("${{", "")))
    report("GW4026", label.span, { field: "label" });
}
