// Whether a set is made for several gateways that run side by side.

import type { Span } from "../../source/source.ts";
import type { ApiSet } from "../../trees/api.ts";
import { findEntry, findText } from "../../trees/document.ts";

/**
 * Where the settings say so: counters and records are shared over the network only where several gateways
 * use them. Nothing else in a document tells, and a single gateway is to hear none of this.
 */
export function findReplicas({ settings }: ApiSet): Span | undefined {
  const redis = findEntry(settings, "redis");
  if (redis !== undefined) return redis.keySpan;
  const store = findEntry(settings, "store");
  return /^postgres(?:ql)?:/.test(findText(store?.value) ?? "") ? store?.keySpan : undefined;
}
