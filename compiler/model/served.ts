// Whether an API of a set is served.

import type { ApiDocument } from "../trees/api.ts";
import { findNode } from "../trees/document.ts";

/** `info.state.active: false` keeps a document in the set without serving it. */
export function isServed(api: ApiDocument): boolean {
  const active = findNode(api.gateway, "info", "state", "active");
  return active?.kind !== "scalar" || active.value !== false;
}
