// Which streams one replica at a time runs by a lease, where leases are configured.

import type { Component } from "../../schemas/component.ts";

/** What an input or output means to several replicas; outputs are never divided. */
export type EndKind = "endpoint" | "channel" | "divided" | "undivided";

/** Whether an input reads what belongs to its replica alone: standard input, a listener of its own. */
export function readsOwn(descriptor: Component | undefined): boolean {
  return descriptor?.isSingle === true || descriptor?.schema["x-unsafe"] === "opens a listener";
}

/**
 * Whether a lease may decide which replica reads: some input is divided by no broker, and none is reached by clients or other
 * streams of the replica. Messages for such stay on the replica, so that every replica has to read for its own.
 */
export function isLeasable(inputs: readonly EndKind[], outputs: readonly EndKind[]): boolean {
  const isLocal = (kind: EndKind) => kind === "endpoint" || kind === "channel";
  return inputs.includes("undivided") && ![...inputs, ...outputs].some(isLocal);
}
