// What a document asks to be found elsewhere only, and the gateway cannot do: serving it all the same would be worse than
// not serving it.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument } from "../../../parse/document/api.ts";
import { findNode } from "../../../parse/document/tree.ts";

/** Switches by their path: only by gateways of certain tags. */
const switches = [["server", "gatewayTags", "enabled"]] as const;

/** Reports each of them that is on. */
export function checkUnservable({ gateway }: ApiDocument, report: Report): void {
  for (const path of switches) {
    const value = findNode(gateway, ...path);
    if (value?.kind === "scalar" && value.value === true) {
      report("GW4041", value.span, { field: path.join(".") });
    }
  }
}
