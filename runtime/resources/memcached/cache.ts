import type { ComponentContext } from "../../component/component.ts";
import type { Cache } from "../../component/resource.ts";
import { abort } from "../../concurrency/abort.ts";
import type { EndCondition } from "../../conditions/conditions.ts";
import { GatewayError } from "../../errors.ts";
import { type AskingPauses, askAgain } from "../asking-again.ts";
import { memcachedKey, memcachedServers, placeOf } from "./addresses.ts";
import type { MemcachedAnswer } from "./answers.ts";
import { createMemcachedConnection, type MemcachedConnection } from "./connection.ts";
import { type MemcachedCacheOptions, memcachedCacheDefaults } from "./generated/memcached-cache-options.ts";

/**
 * Seconds above which the server treats an expiry as a time of day (memcached/doc/protocol.txt, "Expiration times").
 */
const longestSpan = 60 * 60 * 24 * 30;
/** The largest time in seconds that the server supports. */
const lastSecond = 2 ** 31 - 1;

/**
 * A cache in memcached. A request without a response is repeated for a while; then it rejects, and nothing is known
 * about the key. `add` is repeated only if it was certainly not sent: a repeated `add` would find the value of the
 * first one and report that the key already existed.
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

/**
 * Returns whole seconds, at least one; 0 means no expiry. A long time is converted to the time of day at which it
 * ends.
 */
function expiryOf(ttl: number): number {
  if (ttl <= 0) return 0;
  const seconds = Math.ceil(ttl / 1000);
  if (seconds <= longestSpan) return seconds;
  return Math.min(Math.ceil(Date.now() / 1000) + seconds, lastSecond);
}

/** Returns the word of a response, which must be one of `expected`. */
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
  return isTooLarge ? "The value is larger than memcached accepts" : "memcached refused the command";
}

function unexpected(): GatewayError {
  return new GatewayError(502, "memcached sent the response to another command", { retryable: true });
}

/** Sends commands to the server of each key. */
interface MemcachedClient {
  /** Connects to all servers; rejects with a `GatewayError` if that is not possible now. */
  start(context: ComponentContext): Promise<void>;
  /**
   * Sends a complete command about `key` and returns the response. A command without a response is repeated for a
   * while, unless it may have been sent and `mayRepeat` is false; then it rejects with a `GatewayError`.
   */
  ask(key: Uint8Array, command: Uint8Array, mayRepeat?: boolean): Promise<MemcachedAnswer>;
  close(): void;
}

/** Returns a client that is not connected yet. */
function createMemcachedClient(addresses: readonly string[], pauses: AskingPauses): MemcachedClient {
  const closing = new AbortController();
  let context: ComponentContext | undefined;

  /** Tries to connect until it succeeds or the cache is closed. */
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
      abort(closing);
      for (const connection of connections) connection.close();
    },
  };
}
