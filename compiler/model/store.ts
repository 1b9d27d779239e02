// Whether a gateway has a store, by what its settings say.

import { type DocumentNode, findEntry, findNode } from "../trees/document.ts";

/** Whether the portal is switched on. */
export function hasPortal(settings: DocumentNode | undefined): boolean {
  const enabled = findNode(settings, "portal", "enabled");
  return enabled?.kind === "scalar" && enabled.value === true;
}

/**
 * Whether records of a store count beside those of the settings. The portal needs one, whose address may be in the
 * environment only.
 */
export function hasStore(settings: DocumentNode | undefined): boolean {
  return hasPortal(settings) || findEntry(settings, "store") !== undefined;
}
