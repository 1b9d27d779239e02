// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Cache } from "../../component/resource.ts";

/**
 * Combines several caches as levels, nearest first. A value that is found in a far cache is written to the caches before it. Writes go to all caches.
 */
export type MultilevelCacheOptions = readonly Cache[];
