// The counters of a gateway without a `limits` block: one set for all its APIs, in memory.

import type { Scoped } from "../component/gateway-scope.ts";
import type { Counters } from "../counters.ts";
import { createMemoryCounters } from "./memory-counters.ts";

/** Counters that the APIs of a gateway share. */
export const scopedCounters: Scoped<Counters> = {
  create: () => createMemoryCounters(),
  close: (counters) => counters.close?.(),
};
