import type { SyncCache } from "../component/resource.ts";
import type { NoopCacheOptions } from "./generated/noop-cache-options.ts";

/** Accepts every value and keeps none, so that components with a cache can run without one. */
export function noopCache(_options: NoopCacheOptions): SyncCache {
  return {
    get: () => undefined,
    set: () => undefined,
    add: () => true,
    delete: () => undefined,
  };
}
