// What a document asks to be found elsewhere only, and the gateway cannot do: serving it all the same would be worse than
// not serving it.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument } from "../../../trees/api.ts";
import { findNode } from "../../../trees/document.ts";

/** Blocks by their path: only by gateways of certain tags. */
const switches = [["server", "gatewayTags"]] as const;

/** Reports each of them that is on, or filled in without a word of that. */
export function checkUnservable({ gateway }: ApiDocument, report: Report): void {
  for (const path of switches) {
    const block = findNode(gateway, ...path);
    const enabled = findNode(block, "enabled");
    const tags = findNode(block, "tags");
    const isFilledIn = enabled === undefined && tags?.kind === "list" && tags.items.length > 0;
    const isOn = enabled?.kind === "scalar" && enabled.value === true;
    const at = enabled ?? block;
    if (at !== undefined && (isOn || isFilledIn))
      report("GW4041", at.span, { field: [...path, "enabled"].join(".") });
  }
}
