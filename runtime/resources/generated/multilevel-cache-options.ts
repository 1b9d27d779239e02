// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Cache } from "../../component/resource.ts";

/**
 * Several caches, one behind the other, near ones first. A value that a far one has is written into those before it; values are written to all of them.
 */
export type MultilevelCacheOptions = readonly Cache[];
