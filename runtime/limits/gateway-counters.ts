// Where the counters of a gateway are: in memory, with the primary of several workers, or in Redis.

import { scopedMetrics } from "../component/gateway-scope.ts";
import type { CounterSource, Counters, CountersContext } from "../counters.ts";
import { redisAddress } from "../generated/formats.ts";
import type { Environment } from "../process/environment.ts";
import type { RedisAddress } from "../resources/redis-client.ts";
import { createMemoryCounters } from "./memory-counters.ts";
import { createPrimaryCounters } from "./primary-counters.ts";
import { openRedisCounters, type RedisCountersOptions } from "./redis-counters.ts";

/** What `gateway.yaml` says of counters. */
export interface CountersBlock {
  readonly redis?: Partial<RedisAddress> & {
    readonly prefix?: string;
    /** Milliseconds. */
    readonly timeout?: number;
    readonly when_away?: "memory" | "refuse";
  };
  /** Counters of each kind that are kept in memory. */
  readonly max_counters?: number;
}

const defaults = { prefix: "sluice:", timeout: 500, when_away: "memory" } as const;

/** In Redis where `GW_REDIS_URL` or the block says where that is, else in memory. */
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

/** Milliseconds between two words about the same. */
const silence = 60_000;

const givenUp = { help: "Rates and quotas that began anew, as there was no room for them" };

/** In memory; operators hear when there is no room for all. */
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
