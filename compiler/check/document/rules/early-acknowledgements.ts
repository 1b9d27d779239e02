// Acknowledgements before anything is delivered, for which a document can ask.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findNamedField } from "../../../trees/fields.ts";

/** Reports `auto_ack: true`, and buffers that do so. */
export function checkEarlyAcknowledgements(component: ComponentNode, report: Report): void {
  const { role, config, name, nameSpan } = component;
  if (role === "buffer") report("GW4173", nameSpan, { what: name });
  const early = findNamedField(config, "auto_ack");
  if (early?.value.kind === "Literal" && early.value.value === true)
    report("GW4173", early.value.span, { what: "auto_ack" });
}
