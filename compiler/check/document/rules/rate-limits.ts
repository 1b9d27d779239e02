// `rate_limit` of an `http_client` input: a duration, or the name of a rate limit that exists.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../parse/document/api.ts";
import { findField, literalText } from "../components.ts";

/** Reports a name, as there is nothing yet that could declare one. */
export function checkRateLimit({ name, role, config }: ComponentNode, report: Report): void {
  if (name !== "http_client" || role !== "input") return;
  const value = findField(config, "rate_limit")?.value;
  const written = literalText(value);
  if (value !== undefined && written !== undefined) report("GW4037", value.span, { name: written });
}
