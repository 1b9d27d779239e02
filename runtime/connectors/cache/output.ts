import type { Output } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import { readTtl } from "../../processors/cache.ts";
import { type CacheOutputOptions, cacheOutputDefaults } from "./generated/output-options.ts";

/**
 * Writes each message to a cache under its key.
 * Messages of a batch are written in order, since one may replace another.
 */
export function cacheOutput(options: CacheOutputOptions): Output {
  const { target, key, ttl, max_in_flight } = { ...cacheOutputDefaults, ...options };
  const inFlight = new Semaphore(max_in_flight);
  return {
    async start() {}, // the stream starts its caches
    async write(batch) {
      const entries = prepareAll(batch, (message, index) => ({
        key: textOf(key, batch, index),
        value: message.bytes(),
        ttl: readTtl(ttl, batch, index),
      }));
      await inFlight.use(async () => {
        for (const entry of entries) await target.set(entry.key, entry.value, entry.ttl);
      });
      return {};
    },
    async close() {
      await inFlight.idle();
    },
  };
}
