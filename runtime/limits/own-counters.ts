// The counters of a gateway that says nothing of where it counts: one set for all its APIs, in memory.

import type { Counters } from "../counters.ts";
import { createMemoryCounters } from "./memory-counters.ts";

/** Several gateways may run in one process. */
const known = /* @__PURE__ */ new WeakMap<object, Counters>();

/** The same for every call with the same gateway. */
export function countersOf(gateway: object): Counters {
  const counters = known.get(gateway) ?? createMemoryCounters();
  known.set(gateway, counters);
  return counters;
}
