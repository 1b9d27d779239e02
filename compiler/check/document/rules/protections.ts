// What a document asks to be found elsewhere only, and the gateway cannot do: serving it all the same would be worse than
// not serving it.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { itemsOf } from "../../../model/written.ts";
import { findNode } from "../../../trees/document.ts";

/** Reports `gatewayTags` that is enabled, or that has tags and no `enabled`: it selects gateways by their tags. */
export function checkUnservable({ blocks }: ApiModel, report: Report): void {
  const block = blocks.gatewayTags;
  if (block === undefined) return;
  const isStated = findNode(block.node, "enabled") !== undefined;
  const isFilledIn = !isStated && itemsOf(findNode(block.node, "tags")).length > 0;
  if (block.enabled === true || isFilledIn)
    report("GW4041", block.stateSpan, { field: `${block.path}.enabled` });
}
