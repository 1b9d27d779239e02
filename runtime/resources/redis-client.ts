// The connection to Redis of caches and rate limits.

import { Duplex } from "node:stream";
import { Cluster, Redis } from "ioredis";
import type { ComponentContext } from "../component/component.ts";
import { createBackoff } from "../concurrency/backoff.ts";
import type { EndCondition } from "../conditions/conditions.ts";
import { GatewayError } from "../errors.ts";
import { noteServer } from "../failures/unreachable.ts";
import { type TlsBlock, tlsOptions } from "../process/tls.ts";
import { parseRedisAddresses } from "./redis-addresses.ts";

/** The address of Redis and the connection settings in documents. */
export interface RedisAddress {
  /** One address; several, separated by commas, for `cluster` and `failover`. */
  readonly url: string;
  /** The kind of server: one server, a cluster, or sentinels that know which server leads. */
  readonly kind?: "simple" | "cluster" | "failover";
  /** The name of the servers at the sentinels. */
  readonly master?: string;
  readonly tls?: TlsBlock;
}

/** Additional options of some connections. */
export interface RedisConnectionOptions {
  /** Milliseconds until a command without a response fails. */
  readonly answerTime?: number;
  /**
   * Whether maps, doubles and integers keep their types in replies; integers arrive as strings, so that all digits
   * are kept.
   */
  readonly typedReplies?: boolean;
}

/** A connection that reconnects automatically after it was established once. */
export interface RedisConnection {
  /** Connects; rejects with a `GatewayError` if that is not possible now. */
  start(context: ComponentContext): Promise<void>;
  /** Whether a command would be sent immediately. */
  readonly isReady: boolean;
  /** Sends a command; rejects with a `GatewayError` if there is no response. A command is never sent later. */
  ask<T>(command: (redis: Redis) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Milliseconds without a response until the server counts as unavailable. */
const patience = 5_000;
const reconnecting = { first: 100, longest: 5_000 };

/** Returns a connection that is not open yet. */
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
        writeByTurn(redis);
        return await command(redis);
      } catch (error) {
        throw redisFailure(error);
      }
    },
    async close() {
      const closing = redis;
      redis = undefined;
      // `quit` waits for the responses of earlier commands; this wait is limited.
      if (closing?.status === "ready") await closing.quit().catch(() => closing.disconnect());
      else closing?.disconnect();
    },
  };
}

/**
 * Combines the commands of one turn of the event loop to one write to the socket. The client itself writes each
 * command on its own. Commands of a cluster go to several sockets, which are left as they are.
 */
function writeByTurn(redis: Redis): void {
  const socket: unknown = Reflect.get(redis, "stream"); // private in the client
  if (!(socket instanceof Duplex) || socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

function open(address: RedisAddress, options: RedisConnectionOptions): Redis {
  const backoff = createBackoff(reconnecting);
  let wasReady = false;
  // Does not reconnect before the first connection: the caller decides whether to try again.
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
    // Ends the connection if no data arrives for this time: no other event reveals a silently broken connection.
    socketTimeout: answerTime,
    // The caller decides whether to repeat a command: a command in the queue might be sent too late.
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
  // Both classes have the same commands, states and events.
  return cluster as unknown as Redis;
}

/** Logs and reports when the connection is lost and when it is restored. */
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

/** Returns an error without the text of the client's error, which may quote keys, and addresses with passwords. */
export function redisFailure(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const refusal = refusalOf(error);
  if (refusal === undefined)
    return new GatewayError(502, "Redis cannot be reached", { cause: error, retryable: true });
  return new GatewayError(502, `Redis refused the command (${refusal})`, { cause: error, retryable: true });
}

/** Returns the first word of a server's error, such as `WRONGTYPE`; `undefined` for other errors. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== "ReplyError") return undefined;
  return /^[A-Z]{3,32}(?= )/.exec(error.message)?.[0] ?? "ERR";
}
