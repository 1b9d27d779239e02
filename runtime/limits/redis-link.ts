// The connection of counters to Redis: who is away is not asked again for every request.

import { createBackoff, pause } from "../concurrency/backoff.ts";
import type { CountersContext } from "../counters.ts";
import { GatewayError } from "../errors.ts";
import { createRedisConnection, type RedisAddress, type RedisConnection } from "../resources/redis-client.ts";
import type { RedisScript } from "./redis-scripts.ts";

/** Milliseconds between attempts to reach Redis once it is away. */
const retries = { first: 200, longest: 2_000 };

/** Redis while it answers. */
export interface RedisLink {
  /** Whether it answered last time. */
  readonly isThere: boolean;
  /** Whether it did, and the connection stands: without requests nothing else tells that it is away. */
  readonly isReachable: boolean;
  /** Runs a script; rejects with a `GatewayError`, and Redis counts as away, when there is no answer in time. */
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Sends a command whose answer is not needed. */
  tell(command: Parameters<RedisConnection["ask"]>[0]): void;
  /** Resolves once the first attempt to connect is over. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** A link that is not open yet; `timeout` in milliseconds. `onReturn` is called each time it is there again. */
export function createRedisLink(
  address: RedisAddress,
  timeout: number,
  { log, signal }: CountersContext,
  onReturn: () => void,
): RedisLink {
  const connection = createRedisConnection(address, { answerTime: timeout });
  const closing = new AbortController();
  const ending = AbortSignal.any([signal, closing.signal]);
  let state: "new" | "there" | "away" = "new";
  let returning: Promise<void> | undefined;
  let isStarted = false;

  function noteAway(error: unknown): void {
    if (state === "away" || ending.aborted) return;
    state = "away";
    log.warn("Redis unavailable, limits are not counted there", { error });
    returning ??= comeBack().finally(() => {
      returning = undefined;
    });
  }

  async function reach(): Promise<void> {
    if (!isStarted) await connection.start({ log, signal });
    isStarted = true;
    await connection.ask((redis) => redis.ping());
    if (state === "away") log.info("Redis available again, limits are counted there");
    state = "there";
    onReturn();
  }

  async function comeBack(): Promise<void> {
    const backoff = createBackoff(retries);
    while (state !== "there" && !ending.aborted) {
      await pause(backoff.next(), ending);
      // Why was said when it went away.
      if (!ending.aborted) await reach().catch(() => undefined);
    }
  }

  return {
    get isThere() {
      return state === "there";
    },
    get isReachable() {
      return state === "there" && connection.isReady;
    },
    async run({ text, sha }, keys, args) {
      const all = [...keys, ...args];
      try {
        return await connection.ask(async (redis) => {
          try {
            return await redis.evalsha(sha, keys.length, ...all);
          } catch (error) {
            if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
            return redis.eval(text, keys.length, ...all);
          }
        });
      } catch (error) {
        noteAway(error);
        throw new GatewayError(503, "Limits cannot be counted", { cause: error, retryAfter: 1 });
      }
    },
    tell(command) {
      connection.ask(command).catch(noteAway);
    },
    async start() {
      await reach().catch(noteAway);
    },
    async close() {
      closing.abort();
      await returning;
      await connection.close();
    },
  };
}
