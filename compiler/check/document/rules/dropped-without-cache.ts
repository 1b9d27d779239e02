// `dedupe` that drops what it cannot look up.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findNamedField } from "../../../trees/fields.ts";

/** Reports `drop_on_err: true`: a cache that is away for a while then takes messages with it. */
export function checkDroppedWithoutCache({ config }: ComponentNode, report: Report): void {
  const field = findNamedField(config, "drop_on_err");
  if (field?.value.kind === "Literal" && field.value.value === true) report("GW4148", field.value.span, {});
}
