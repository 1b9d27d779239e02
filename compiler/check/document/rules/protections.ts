// Protections a document asks for that nothing enforces yet: serving the API open would be worse than
// not serving it.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument } from "../../../parse/document/api.ts";
import { findNode } from "../../../parse/document/tree.ts";

const protections = ["authentication", "clientCertificates", "ipAccessControl"];

/** Reports each protection that is turned on. */
export function checkProtections({ gateway }: ApiDocument, report: Report): void {
  for (const name of protections) {
    const enabled = findNode(gateway, "server", name, "enabled");
    if (enabled?.kind === "scalar" && enabled.value === true) {
      report("GW4041", enabled.span, { field: `server.${name}` });
    }
  }
}
