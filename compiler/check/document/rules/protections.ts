// Protections a document or a set asks for that nothing enforces yet: serving without them would be worse
// than not serving.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument } from "../../../parse/document/api.ts";
import { findEntry, findNode, type MapNode } from "../../../parse/document/tree.ts";

const protections = ["authentication"];

/** Reports each protection that is turned on. */
export function checkProtections({ gateway }: ApiDocument, report: Report): void {
  for (const name of protections) {
    const enabled = findNode(gateway, "server", name, "enabled");
    if (enabled?.kind === "scalar" && enabled.value === true) {
      report("GW4041", enabled.span, { field: `server.${name}` });
    }
  }
}

/** Reports a listener that is to speak TLS. */
export function checkListener(settings: MapNode, report: Report): void {
  const tls = findEntry(findNode(settings, "listen"), "tls");
  if (tls !== undefined) report("GW4041", tls.keySpan, { field: "listen.tls" });
}
