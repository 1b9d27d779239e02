import type { ComponentContext } from "../../component/component.ts";
import type { Cache } from "../../component/resource.ts";
import type { EndCondition } from "../../conditions/conditions.ts";
import { GatewayError } from "../../errors.ts";
import { type AskingPauses, askAgain } from "../asking-again.ts";
import { memcachedKey, memcachedServers, placeOf } from "./addresses.ts";
import type { MemcachedAnswer } from "./answers.ts";
import { createMemcachedConnection, type MemcachedConnection } from "./connection.ts";
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

/** Asks the server that has a key. */
interface MemcachedClient {
  /** Connects to all servers; rejects with a `GatewayError` when that is not possible now. */
  start(context: ComponentContext): Promise<void>;
  /**
   * The answer to a whole command about `key`. A question without an answer is asked again for a while, unless it may have
   * been sent and `mayRepeat` is false; then it rejects with a `GatewayError`.
   */
  ask(key: Uint8Array, command: Uint8Array, mayRepeat?: boolean): Promise<MemcachedAnswer>;
  close(): void;
}

/** A client that is not connected yet. */
function createMemcachedClient(addresses: readonly string[], pauses: AskingPauses): MemcachedClient {
  const closing = new AbortController();
  let context: ComponentContext | undefined;

  /** Tries to connect until that succeeds or the cache is closed. */
  async function reconnect(connection: MemcachedConnection, endOutage: EndCondition): Promise<void> {
    const question = { ask: () => connection.open(), isReady: () => false };
    const untilClosed = { ...pauses, max_elapsed_time: Number.POSITIVE_INFINITY };
    try {
      await askAgain(question, untilClosed, closing.signal);
    } catch (error) {
      if (!closing.signal.aborted) throw error;
      return;
    }
    context?.log.info("connected to memcached again");
    endOutage();
  }

  const connections = memcachedServers(addresses).map((server) => {
    const connection = createMemcachedConnection(server, (error) => {
      if (context === undefined || context.signal.aborted) return;
      context.log.warn("memcached connection lost, reconnecting", { error });
      const end = context.beginOutage?.("the connection to memcached is lost") ?? (() => undefined);
      void reconnect(connection, end);
    });
    return connection;
  });

  return {
    async start(given) {
      await Promise.all(connections.map((connection) => connection.open()));
      context = given;
    },
    async ask(key, command, mayRepeat = true) {
      const connection = connections[placeOf(key, connections.length)];
      if (connection === undefined) throw new Error("A cache has no servers");
      const question = {
        ask: () => connection.ask(command),
        isReady: () => connection.isReady,
        mayRepeat,
      };
      return askAgain(question, pauses, closing.signal);
    },
    close() {
      closing.abort();
      for (const connection of connections) connection.close();
    },
  };
}
