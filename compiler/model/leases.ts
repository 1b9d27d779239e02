// Determines which streams only run on the one replica that holds their lease, if leases are configured.

import type { Component } from "../../schemas/component.ts";

/** How several replicas share an input or output. Outputs are never divided. */
export type EndKind = "endpoint" | "channel" | "divided" | "undivided";

/** Whether an input reads something that belongs to its replica alone: standard input, or a listener of its own. */
export function readsOwn(descriptor: Component | undefined): boolean {
  return descriptor?.isSingle === true || descriptor?.schema["x-unsafe"] === "opens a listener";
}

/**
 * Whether a lease may decide which replica reads: no broker divides the messages of at least one input, and none of the
 * inputs and outputs is reached by clients or other streams of the replica. Messages for those stay on the replica, so
 * every replica has to read on its own.
 */
export function isLeasable(inputs: readonly EndKind[], outputs: readonly EndKind[]): boolean {
  const isLocal = (kind: EndKind) => kind === "endpoint" || kind === "channel";
  return inputs.includes("undivided") && ![...inputs, ...outputs].some(isLocal);
}
