// Encryption towards anybody: certificates that nobody looks at.

import type { Report } from "../../../diagnostics/sink.ts";
import type { SchemedValue } from "../values.ts";

/** Reports `skip_cert_verify: true`, wherever it stands. */
export function checkCertificates({ name, value }: SchemedValue, report: Report): void {
  if (name === "skip_cert_verify" && value.kind === "Literal" && value.value === true)
    report("GW4083", value.span, {});
}
