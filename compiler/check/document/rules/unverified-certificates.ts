// Encryption towards anybody: certificates that nobody looks at.

import type { Report } from "../../../diagnostics/sink.ts";
import { findField } from "../../../trees/fields.ts";
import type { SchemedValue } from "../values.ts";

const names: ReadonlySet<string> = new Set(["skip_cert_verify", "insecureSkipVerify"]);

/** Reports what turns the look at certificates off, wherever it stands. */
export function checkCertificates({ name, value, owner }: SchemedValue, report: Report): void {
  if (!names.has(name) || value.kind !== "Literal" || value.value !== true) return;
  if (owner === undefined || !isOff(owner)) report("GW4083", value.span, {});
}

/** Whether the block around does nothing, so that there is no certificate to look at. */
function isOff({ value, schema }: NonNullable<SchemedValue["owner"]>): boolean {
  const enabled = findField(value, "enabled");
  if (enabled === undefined) return schema["x-switched"] === true;
  return enabled.kind === "Literal" && enabled.value === false;
}
