// Which pages may call an API: combinations that browsers do not take.

import type { Report } from "../../../diagnostics/sink.ts";
import type { FieldNode } from "../../../trees/api.ts";
import { findField, findNamedField } from "../../../trees/fields.ts";
import type { SchemedValue } from "../values.ts";

/** Reports credentials together with any origin. */
export function checkCors({ name, value }: SchemedValue, report: Report): void {
  const credentials = name === "cors" ? findNamedField(value, "allowCredentials") : undefined;
  if (credentials?.value.kind !== "Literal" || credentials.value.value !== true) return;
  if (holdsAny(findField(value, "allowedOrigins"))) report("GW4192", credentials.nameSpan, {});
}

function holdsAny(origins: FieldNode | undefined): boolean {
  return (
    origins?.kind === "List" && origins.items.some((item) => item.kind === "Literal" && item.value === "*")
  );
}
