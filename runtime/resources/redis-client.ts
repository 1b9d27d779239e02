// One connection to Redis, as caches and rate limits use it.

import { Redis } from "ioredis";
import type { ComponentContext } from "../component/component.ts";
import { createBackoff } from "../concurrency/backoff.ts";
import type { EndCondition } from "../conditions/conditions.ts";
import { GatewayError } from "../errors.ts";
import { type TlsBlock, tlsOptions } from "../process/tls.ts";

/** How documents say where Redis is and how to reach it. */
export interface RedisAddress {
  readonly url: string;
  readonly tls?: TlsBlock;
}

/** A connection that is repaired by itself once it was there. */
export interface RedisConnection {
  /** Connects; rejects with a `GatewayError` when that is not possible now. */
  start(context: ComponentContext): Promise<void>;
  /** Whether a command would be sent at once. */
  readonly isReady: boolean;
  /** Sends a command; rejects with a `GatewayError` when there is no answer. Nothing is sent later. */
  ask<T>(command: (redis: Redis) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Milliseconds until somebody who does not answer counts as away. */
const patience = 5_000;
const reconnecting = { first: 100, longest: 5_000 };

/** A connection that is not open yet; `answerTime` is the milliseconds until a command without an answer fails. */
export function createRedisConnection({ url, tls }: RedisAddress, answerTime = patience): RedisConnection {
  let redis: Redis | undefined;
  return {
    async start(context) {
      const opened = open(url, tlsOptions(tls), answerTime);
      follow(opened, context);
      let reason: unknown;
      opened.on("error", (error) => {
        reason = error;
      });
      try {
        await opened.connect();
        redis = opened;
      } catch (error) {
        opened.disconnect();
        throw redisFailure(reason ?? error); // of a refused login the client itself only says that it is closed
      }
    },
    get isReady() {
      return redis?.status === "ready";
    },
    async ask(command) {
      if (redis === undefined) throw new GatewayError(503, "The connection to Redis is closed");
      try {
        return await command(redis);
      } catch (error) {
        throw redisFailure(error);
      }
    },
    async close() {
      const closing = redis;
      redis = undefined;
      // What was asked before is answered; where nobody answers, the wait for that is bounded.
      if (closing?.status === "ready") await closing.quit().catch(() => closing.disconnect());
      else closing?.disconnect();
    },
  };
}

function open(url: string, encryption: ReturnType<typeof tlsOptions>, answerTime: number): Redis {
  const backoff = createBackoff(reconnecting);
  const redis = new Redis(url.replace(/^tcp:/, "redis:"), {
    lazyConnect: true,
    connectionName: "sluice",
    connectTimeout: patience,
    commandTimeout: answerTime,
    // Nothing at all came meanwhile: of a connection that broke without a word, nobody else would ever say so.
    socketTimeout: answerTime,
    // Whoever asks decides whether to ask again; a command that waits here could be sent when it is too late.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => backoff.next(),
    ...(encryption !== undefined && { tls: encryption as NonNullable<unknown> }),
  });
  redis.on("ready", () => backoff.reset());
  return redis;
}

/** Tells when the connection is lost and when it is back. */
function follow(redis: Redis, { log, signal, beginOutage }: ComponentContext): void {
  let wasReady = false;
  let endOutage: EndCondition | undefined;
  redis.on("error", (error) => {
    if (endOutage !== undefined) log.debug("Redis unreachable", { error });
  });
  redis.on("close", () => {
    if (!wasReady || endOutage !== undefined || signal.aborted) return;
    log.warn("Redis connection lost, reconnecting");
    endOutage = beginOutage?.("the connection to Redis is lost") ?? (() => undefined);
  });
  redis.on("ready", () => {
    if (endOutage !== undefined) log.info("connected to Redis again");
    endOutage?.();
    endOutage = undefined;
    wasReady = true;
  });
}

/** The text of the client's errors may quote addresses with passwords, and keys. */
function redisFailure(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError(502, "Redis unreachable", { cause: error, retryable: true });
}
