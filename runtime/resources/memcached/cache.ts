import type { Cache } from "../../component/resource.ts";
import { GatewayError } from "../../errors.ts";
import { memcachedKey } from "./addresses.ts";
import type { MemcachedAnswer } from "./answers.ts";
import { createMemcachedClient } from "./client.ts";
import { type MemcachedCacheOptions, memcachedCacheDefaults } from "./generated/memcached-cache-options.ts";

/** Seconds beyond which the server takes an expiry for a time of day (memcached/doc/protocol.txt, "Expiration times"). */
const longestSpan = 60 * 60 * 24 * 30;
/** The last second that the server can count to. */
const lastSecond = 2 ** 31 - 1;

/**
 * Values in memcached. A question without an answer is asked again for a while; then it rejects, and the caller knows
 * nothing about the key. `add` is asked again only where it was surely not sent: the second one would meet the value of
 * the first and say that the key was there.
 */
export function memcachedCache(options: MemcachedCacheOptions): Cache {
  const { prefix, default_ttl } = { ...memcachedCacheDefaults, ...options };
  const pauses = { ...memcachedCacheDefaults.retries, ...options.retries };
  const client = createMemcachedClient(options.addresses, pauses);

  const bare = (verb: "get" | "delete", key: string) => {
    const name = memcachedKey(prefix + key);
    return client.ask(name, Buffer.concat([Buffer.from(`${verb} `), name, Buffer.from("\r\n")]));
  };
  const store = async (verb: "set" | "add", key: string, value: Uint8Array, ttl: number) => {
    const name = memcachedKey(prefix + key);
    const words = Buffer.from(` 0 ${expiryOf(ttl)} ${value.length}\r\n`);
    const command = Buffer.concat([Buffer.from(`${verb} `), name, words, value, Buffer.from("\r\n")]);
    return wordOf(await client.ask(name, command, verb === "set"), "STORED", "NOT_STORED");
  };

  return {
    start: (context) => client.start(context),
    async get(key) {
      const answer = await bare("get", key);
      if (answer.kind === "value") return answer.value;
      wordOf(answer, "END");
      return undefined;
    },
    async set(key, value, ttl = default_ttl) {
      const word = await store("set", key, value, ttl);
      if (word !== "STORED") throw unexpected();
    },
    async add(key, value, ttl = default_ttl) {
      return (await store("add", key, value, ttl)) === "STORED";
    },
    async delete(key) {
      wordOf(await bare("delete", key), "DELETED", "NOT_FOUND");
    },
    async close() {
      client.close();
    },
  };
}

/** Whole seconds, at least one; 0 stands for no end. Long ones are the time of day they lead to. */
function expiryOf(ttl: number): number {
  if (ttl <= 0) return 0;
  const seconds = Math.ceil(ttl / 1000);
  if (seconds <= longestSpan) return seconds;
  return Math.min(Math.ceil(Date.now() / 1000) + seconds, lastSecond);
}

/** The word of an answer, which is one of `expected`. */
function wordOf(answer: MemcachedAnswer, ...expected: readonly string[]): string {
  if (answer.kind === "refusal") {
    const isTooLarge = /too large/.test(answer.reason);
    throw new GatewayError(isTooLarge ? 422 : 502, refusalText(isTooLarge), {
      cause: new Error(answer.reason),
      retryable: !isTooLarge,
    });
  }
  if (answer.kind === "value" || !expected.includes(answer.word)) throw unexpected();
  return answer.word;
}

function refusalText(isTooLarge: boolean): string {
  return isTooLarge ? "The value is larger than memcached takes" : "memcached refused the command";
}

function unexpected(): GatewayError {
  return new GatewayError(502, "memcached gave the answer to another command", { retryable: true });
}
