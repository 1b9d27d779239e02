// The blocks of the gateway part that protect an API. Such a block applies wherever it is written, unless it holds
// `enabled: false`.

import type { ApiDocument } from "../trees/api.ts";
import { type DocumentNode, findNode } from "../trees/document.ts";

/**
 * Those that say which requests an API takes, as paths below `x-gw-api-gateway`. Limits that count are not among them:
 * each API, and so each version, has a capacity of its own.
 */
export const protectionBlocks = [
  ["server", "ipAccessControl"],
  ["server", "clientCertificates"],
  ["middleware", "global", "requestSizeLimit"],
  ["middleware", "global", "validateRequest"],
] as const;

/** The block, where it is written and applies. */
export function appliedBlock({ gateway }: ApiDocument, path: readonly string[]): DocumentNode | undefined {
  const block = findNode(gateway, ...path);
  return block === undefined || isSwitchedOff(block) ? undefined : block;
}

/** Whether a block holds `enabled: false`. */
export function isSwitchedOff(block: DocumentNode | undefined): boolean {
  const enabled = findNode(block, "enabled");
  return enabled?.kind === "scalar" && enabled.value === false;
}
