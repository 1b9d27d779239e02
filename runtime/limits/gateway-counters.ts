// Where the counters of a gateway are: in memory, in the primary of several workers, or in Redis. A worker sends the
// primary one message with all requests of one turn of the event loop.

import { scopedMetrics } from "../component/gateway-scope.ts";
import type {
  CountAnswer,
  CounterSource,
  Counters,
  CountersContext,
  CountRequest,
  Occupancy,
  RateVerdict,
  Standing,
} from "../counters.ts";
import { GatewayError } from "../errors.ts";
import { redisAddress } from "../generated/formats.ts";
import type { Environment } from "../process/environment.ts";
import type { RedisAddress } from "../resources/redis-client.ts";
import { createMemoryCounters } from "./memory-counters.ts";
import { openRedisCounters, type RedisCountersOptions } from "./redis-counters.ts";

/** The `counters` block of `gateway.yaml`. */
export interface CountersBlock {
  readonly redis?: Partial<RedisAddress> & {
    readonly prefix?: string;
    /** Milliseconds. */
    readonly timeout?: number;
    readonly when_away?: "memory" | "refuse";
  };
  /** The most counters of each kind that are kept in memory. */
  readonly max_counters?: number;
}

const defaults = { prefix: "sluice:", timeout: 500, when_away: "memory" } as const;

/** Returns counters in Redis if `GW_REDIS_URL` or the block has its address, otherwise in memory. */
export function gatewayCounters(
  env: Environment,
  { redis = {}, max_counters: most }: CountersBlock,
): CounterSource {
  const url = env.text("GW_REDIS_URL", redis.url ?? "", redisAddress);
  const { prefix, timeout, when_away: whenAway } = { ...defaults, ...redis };
  const openPrimary = (context: CountersContext) => createWatchedCounters(context, most);
  return {
    openPrimary,
    async open(context) {
      const own = context.worker === undefined ? openPrimary(context) : createPrimaryCounters(process);
      if (url === "") return own;
      const options: RedisCountersOptions = { url, prefix, timeout, whenAway };
      return openRedisCounters({ ...options, ...(redis.tls && { tls: redis.tls }) }, own, context);
    },
  };
}

/** Milliseconds between two log lines about the same problem. */
const silence = 60_000;

const givenUp = { help: "Rates and quotas that were reset because there was no memory for them" };

/** Creates counters in memory that report to operators when counters are dropped for lack of room. */
function createWatchedCounters({ log, gateway }: CountersContext, most: number | undefined): Counters {
  let saidAt = Number.NEGATIVE_INFINITY;
  const onGivenUp = () => {
    gateway
      .get(scopedMetrics)
      .find("sluice_limit_counters_given_up_total", "counter", givenUp)
      ?.record([], 1);
    if (performance.now() - saidAt < silence) return;
    saidAt = performance.now();
    log.warn("limit counters exceed their maximum, some are reset", {
      remedy: "limits.max_counters, or Redis",
    });
  };
  return createMemoryCounters({ ...(most !== undefined && { most }), onGivenUp });
}

/** The channel to the primary, as in a worker's `process`. */
interface PrimaryChannel {
  readonly connected: boolean;
  send?(message: unknown, callback: (error: Error | null) => void): boolean;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "disconnect", listener: () => void): unknown;
  off(event: "message", listener: (message: unknown) => void): unknown;
  off(event: "disconnect", listener: () => void): unknown;
}

interface Waiting {
  readonly request: CountRequest;
  readonly resolve: (answer: CountAnswer) => void;
  readonly reject: (error: GatewayError) => void;
}

/** Returns counters in the primary. A worker whose primary is gone refuses to count; it ends anyway. */
export function createPrimaryCounters(channel: PrimaryChannel): Counters {
  const sent = new Map<number, readonly Waiting[]>();
  let next: Waiting[] = [];
  let lastId = 0;

  function count(request: CountRequest): Promise<CountAnswer> {
    return new Promise((resolve, reject) => {
      if (next.length === 0) setImmediate(flush);
      next.push({ request, resolve, reject });
    });
  }

  function flush(): void {
    const batch = next;
    next = [];
    if (!channel.connected) {
      refuse(batch);
      return;
    }
    lastId += 1;
    const id = lastId;
    sent.set(id, batch);
    channel.send?.({ kind: "count", id, requests: batch.map(({ request }) => request) }, (error) => {
      if (error !== null && sent.delete(id)) refuse(batch);
    });
  }

  function receive(message: unknown): void {
    if (!isCounted(message)) return;
    const batch = sent.get(message.id) ?? [];
    sent.delete(message.id);
    batch.forEach(({ resolve, reject }, position) => {
      const answer = message.answers[position];
      if (answer === undefined) reject(notCounted());
      else resolve(answer);
    });
  }

  function refuseAll(): void {
    for (const batch of sent.values()) refuse(batch);
    sent.clear();
  }

  channel.on("message", receive);
  channel.on("disconnect", refuseAll);
  return {
    async take(claims) {
      return asVerdict(await count({ claims }));
    },
    async enter(seats) {
      const answer = await count({ seats });
      if ("full" in answer) return answer.full;
      if (!("entered" in answer)) throw notCounted();
      return occupancy(answer.entered, count);
    },
    async close() {
      channel.off("message", receive);
      channel.off("disconnect", refuseAll);
      refuseAll();
    },
  };
}

function occupancy(place: number, count: (request: CountRequest) => Promise<CountAnswer>): Occupancy {
  let isOpen = true;
  return {
    leave() {
      if (!isOpen) return;
      isOpen = false;
      // Without a primary it no longer counts.
      count({ left: place }).catch(() => undefined);
    },
  };
}

/** Converts an answer. Infinite values arrive as `null`, because messages between processes are JSON. */
function asVerdict(answer: CountAnswer): RateVerdict {
  if (!("standings" in answer)) throw notCounted();
  const number = (value: number | null) => value ?? Number.POSITIVE_INFINITY;
  const standings = answer.standings.map(
    ({ remaining, reset }): Standing => ({ remaining, reset: number(reset) }),
  );
  return { refusedBy: answer.refusedBy, wait: number(answer.wait), standings };
}

interface Counted {
  readonly kind: "counted";
  readonly id: number;
  readonly answers: readonly CountAnswer[];
}

/** Whether a message of the primary is an answer of its counters. */
function isCounted(message: unknown): message is Counted {
  return typeof message === "object" && message !== null && "kind" in message && message.kind === "counted";
}

function refuse(batch: readonly Waiting[]): void {
  for (const { reject } of batch) reject(notCounted());
}

function notCounted(): GatewayError {
  return new GatewayError(503, "Limits cannot be counted", { retryAfter: 1 });
}
