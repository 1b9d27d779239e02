// Polls that follow each other without a pause.

import type { Report } from "../../../diagnostics/sink.ts";
import { findKey } from "../../../model/components.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findField } from "../../../trees/fields.ts";

/** Reports an `http_client` input that asks again as soon as it has an answer. */
export function checkPolls(component: ComponentNode, report: Report): void {
  const { nameSpan, config } = component;
  // A reply that does not end is no poll, and the next one begins no sooner than `retry_period` after it.
  if (findField(config, "stream", "enabled")?.kind === "Literal") return;
  const pause = findField(config, "rate_limit");
  if (pause?.kind === "Duration" && pause.milliseconds === 0) report("GW4063", pause.span, {});
  if (findKey(component, "rate_limit") === undefined) report("GW4063", nameSpan, {});
}
