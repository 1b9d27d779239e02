// Fields by which an upstream takes a request for another one.

import type { Report } from "../../../diagnostics/sink.ts";
import type { SchemedValue } from "../values.ts";

/** Reports each field that goes on to the upstream although it may name another request than the one that was judged. */
export function checkOverridingHeaders({ name, value }: SchemedValue, report: Report): void {
  if (name !== "allowedOverrideHeaders" || value.kind !== "List") return;
  for (const item of value.items) {
    report("GW4320", item.span, { field: item.kind === "Literal" ? String(item.value) : "This field" });
  }
}
