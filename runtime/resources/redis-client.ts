// One connection to Redis, as caches and rate limits use it.

import { Cluster, Redis } from "ioredis";
import type { ComponentContext } from "../component/component.ts";
import { createBackoff } from "../concurrency/backoff.ts";
import type { EndCondition } from "../conditions/conditions.ts";
import { GatewayError } from "../errors.ts";
import { noteServer } from "../failures/unreachable.ts";
import { type TlsBlock, tlsOptions } from "../process/tls.ts";
import { parseRedisAddresses } from "./redis-addresses.ts";

/** How documents say where Redis is and how to reach it. */
export interface RedisAddress {
  /** One address; several with commas for `cluster` and `failover`. */
  readonly url: string;
  /** What is there: one server, a cluster, or sentinels that know which server leads. */
  readonly kind?: "simple" | "cluster" | "failover";
  /** The name under which the sentinels know the servers. */
  readonly master?: string;
  readonly tls?: TlsBlock;
}

/** What some connections need besides. */
export interface RedisConnectionOptions {
  /** Milliseconds until a command without an answer fails. */
  readonly answerTime?: number;
  /**
   * Maps, doubles and integers keep their types in replies; integers arrive as strings, so that all digits are kept.
   */
  readonly typedReplies?: boolean;
}

/** A connection that reconnects automatically once it was established. */
export interface RedisConnection {
  /** Connects; rejects with a `GatewayError` when that is not possible now. */
  start(context: ComponentContext): Promise<void>;
  /** Whether a command would be sent at once. */
  readonly isReady: boolean;
  /** Sends a command; rejects with a `GatewayError` when there is no answer. Nothing is sent later. */
  ask<T>(command: (redis: Redis) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Milliseconds without an answer until the server counts as away. */
const patience = 5_000;
const reconnecting = { first: 100, longest: 5_000 };

/** A connection that is not open yet. */
export function createRedisConnection(
  address: RedisAddress,
  options: RedisConnectionOptions = {},
): RedisConnection {
  let redis: Redis | undefined;
  return {
    async start(context) {
      const opened = open(address, options);
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
        const { host, port } = opened.options;
        noteServer(reason ?? error, host === undefined || port === undefined ? undefined : { host, port });
        throw redisFailure(reason ?? error); // for a refused login, the client's own error only says that it is closed
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
      // What was asked before is answered; without an answer, the wait is bounded.
      if (closing?.status === "ready") await closing.quit().catch(() => closing.disconnect());
      else closing?.disconnect();
    },
  };
}

function open(address: RedisAddress, options: RedisConnectionOptions): Redis {
  const backoff = createBackoff(reconnecting);
  let wasReady = false;
  // The caller decides whether to try again.
  const redis = createClient(address, clientOptions(address, options), () =>
    wasReady ? backoff.next() : null,
  );
  redis.on("ready", () => {
    wasReady = true;
    backoff.reset();
  });
  return redis;
}

function clientOptions(
  { tls }: RedisAddress,
  { answerTime = patience, typedReplies = false }: RedisConnectionOptions,
) {
  const encryption = tlsOptions(tls);
  return {
    lazyConnect: true,
    connectionName: "sluice",
    connectTimeout: patience,
    commandTimeout: answerTime,
    // Nothing at all came meanwhile: no other event shows a connection that broke silently.
    socketTimeout: answerTime,
    // The caller decides whether to ask again; a command that waits here could be sent when it is too late.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    ...(typedReplies && { replyMapping: "resp3" as const, stringNumbers: true }),
    ...(encryption !== undefined && { tls: encryption as NonNullable<unknown> }),
  };
}

function createClient(
  { url, kind = "simple", master = "" }: RedisAddress,
  options: ReturnType<typeof clientOptions>,
  retryStrategy: () => number | null,
): Redis {
  if (kind === "simple") return new Redis(url.replace(/^tcp:/, "redis:"), { ...options, retryStrategy });
  const { servers, tls = options.tls, ...login } = parseRedisAddresses(url);
  const shared = { ...options, ...login, ...(tls !== undefined && { tls }) };
  if (kind === "failover") {
    const { tls: sentinelTLS } = shared;
    return new Redis({
      ...shared,
      sentinels: [...servers],
      name: master,
      retryStrategy,
      sentinelRetryStrategy: retryStrategy,
      ...(sentinelTLS !== undefined && { enableTLSForSentinelMode: true, sentinelTLS }),
    });
  }
  const { lazyConnect, enableOfflineQueue, db: _, ...ofNodes } = shared; // clusters have only database 0
  const cluster = new Cluster([...servers], {
    lazyConnect,
    enableOfflineQueue,
    enableReadyCheck: false, // it would wait in the queue, which is disabled
    clusterRetryStrategy: retryStrategy,
    redisOptions: ofNodes,
  });
  // Both have the same commands, states and events.
  return cluster as unknown as Redis;
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
  const refusal = refusalOf(error);
  if (refusal === undefined)
    return new GatewayError(502, "Redis cannot be reached", { cause: error, retryable: true });
  return new GatewayError(502, `Redis refused the command (${refusal})`, { cause: error, retryable: true });
}

/** The word that an error of the server begins with, such as `WRONGTYPE`; `undefined` for other errors. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== "ReplyError") return undefined;
  return /^[A-Z]{3,32}(?= )/.exec(error.message)?.[0] ?? "ERR";
}
