import type { Redis } from "ioredis";
import type { Cache } from "../component/resource.ts";
import { unfitText } from "../grammar/computed-text.ts";
import { asBuffer } from "../text/utf8.ts";
import { askAgain } from "./asking-again.ts";
import { type RedisCacheOptions, redisCacheDefaults } from "./generated/redis-cache-options.ts";
import { createRedisConnection } from "./redis-client.ts";

/**
 * Values in Redis. A question without an answer is asked again for a while; then it rejects, and the caller
 * knows nothing about the key. `add` is asked again only where it was surely not sent: the second one would meet
 * the value of the first and say that the key was there.
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

  /** Halves of characters would all become the same bytes, and keys that hold them the same key. */
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
      closing.abort();
      await connection.close();
    },
  };
}

/** Times that Redis takes: whole milliseconds, at least one; 0 stands for no end. */
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
