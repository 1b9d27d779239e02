// Encryption towards anybody: certificates that nobody looks at.

import type { Report } from "../../../diagnostics/sink.ts";
import type { SchemedValue } from "../values.ts";

const names: ReadonlySet<string> = new Set(["skip_cert_verify", "insecureSkipVerify"]);

/** Reports what turns the look at certificates off, wherever it stands. */
export function checkCertificates({ name, value }: SchemedValue, report: Report): void {
  if (names.has(name) && value.kind === "Literal" && value.value === true) report("GW4083", value.span, {});
}
