import type { Redis } from "ioredis";
import type { Cache } from "../component/resource.ts";
import { abort } from "../concurrency/abort.ts";
import { unfitText } from "../grammar/computed-text.ts";
import { asBuffer } from "../text/utf8.ts";
import { askAgain } from "./asking-again.ts";
import { type RedisCacheOptions, redisCacheDefaults } from "./generated/redis-cache-options.ts";
import { createRedisConnection } from "./redis-client.ts";

/**
 * A cache in Redis. A request without a response is repeated for a while; then it rejects, and nothing is known about
 * the key. `add` is repeated only if it was certainly not sent: a repeated `add` would find the value of the first
 * one and report that the key already existed.
 */
export function redisCache(options: RedisCacheOptions): Cache {
  const { prefix, default_ttl } = { ...redisCacheDefaults, ...options };
  const pauses = { ...redisCacheDefaults.retries, ...options.retries };
  const connection = createRedisConnection(options);
  const closing = new AbortController();

  function ask<T>(command: (redis: Redis) => Promise<T>, mayRepeat = true): Promise<T> {
    const question = { ask: () => connection.ask(command), isReady: () => connection.isReady, mayRepeat };
    return askAgain(question, pauses, closing.signal);
  }

  /**
   * Returns the name of a key. Refuses lone surrogates: all of them would be encoded as the same bytes, so that keys
   * would collide.
   */
  function nameOf(key: string): string {
    if (!key.isWellFormed()) throw unfitText("key", "a text that UTF-8 can hold");
    return prefix + key;
  }

  return {
    start: (context) => connection.start(context),
    async get(key) {
      const name = nameOf(key);
      return (await ask((redis) => redis.getBuffer(name))) ?? undefined;
    },
    async set(key, value, ttl = default_ttl) {
      const name = nameOf(key);
      await ask((redis) => write(redis, name, value, ttl));
    },
    async add(key, value, ttl = default_ttl) {
      const name = nameOf(key);
      return ask((redis) => writeNew(redis, name, value, ttl), false);
    },
    async delete(key) {
      const name = nameOf(key);
      await ask((redis) => redis.del(name));
    },
    async close() {
      abort(closing);
      await connection.close();
    },
  };
}

/** Returns whole milliseconds, at least one, as Redis requires; 0 means no expiry. */
function expiry(ttl: number): number {
  return ttl <= 0 ? 0 : Math.max(1, Math.round(ttl));
}

async function write(redis: Redis, key: string, value: Uint8Array, ttl: number): Promise<void> {
  const time = expiry(ttl);
  if (time === 0) await redis.set(key, asBuffer(value));
  else await redis.set(key, asBuffer(value), "PX", time);
}

async function writeNew(redis: Redis, key: string, value: Uint8Array, ttl: number): Promise<boolean> {
  const time = expiry(ttl);
  const content = asBuffer(value);
  const answer =
    time === 0 ? await redis.set(key, content, "NX") : await redis.set(key, content, "PX", time, "NX");
  return answer === "OK";
}
