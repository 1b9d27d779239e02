// Protections a set asks for that nothing enforces yet: serving without them would be worse
// than not serving.

import type { Report } from "../../../diagnostics/sink.ts";
import { findEntry, findNode, type MapNode } from "../../../parse/document/tree.ts";

/** Reports a listener that is to speak TLS. */
export function checkListener(settings: MapNode, report: Report): void {
  const tls = findEntry(findNode(settings, "listen"), "tls");
  if (tls !== undefined) report("GW4041", tls.keySpan, { field: "listen.tls" });
}
