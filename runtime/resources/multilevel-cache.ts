import type { Cache } from "../component/resource.ts";
import type { Logger } from "../process/log.ts";
import type { MultilevelCacheOptions } from "./generated/multilevel-cache-options.ts";

/**
 * Several caches, one behind the other. A value is read from the first cache that has it, and written to the caches
 * before it with their own expiry; the last cache decides the result of `add`. The caches are started and closed
 * separately.
 */
export function multilevelCache(levels: MultilevelCacheOptions): Cache {
  const near = levels.slice(0, -1);
  const far = levels.slice(-1);
  let log: Logger | undefined;

  /**
   * Writes a value that was found to the nearer caches. A failed write is only logged, since the value exists anyway.
   */
  async function keep(key: string, value: Uint8Array, before: readonly Cache[]): Promise<void> {
    for (const cache of before) {
      try {
        await cache.set(key, value);
      } catch (error) {
        log?.warn("a cache of a nearer level did not accept a value", { error });
      }
    }
  }

  async function get(key: string): Promise<Uint8Array | undefined> {
    for (const [index, cache] of levels.entries()) {
      const value = await cache.get(key);
      if (value === undefined) continue;
      await keep(key, value, levels.slice(0, index));
      return value;
    }
    return undefined;
  }

  return {
    async start(context) {
      log = context.log;
    },
    get,
    async set(key, value, ttl) {
      for (const cache of levels) await cache.set(key, value, ttl);
    },
    async add(key, value, ttl) {
      for (const cache of near) {
        if ((await cache.get(key)) !== undefined) return false;
      }
      for (const cache of far) {
        if (!(await cache.add(key, value, ttl))) return false;
      }
      // The last cache has accepted the value: any value in a nearer cache is older.
      for (const cache of near.toReversed()) await cache.set(key, value, ttl);
      return true;
    },
    async delete(key) {
      // Begins with the last cache, so that no reader restores the value while it is being removed.
      for (const cache of levels.toReversed()) await cache.delete(key);
    },
  };
}
