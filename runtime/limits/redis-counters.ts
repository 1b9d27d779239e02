// Counts in Redis, together with every gateway that names the same one.

import { randomBytes } from "node:crypto";
import type { Claim, Counters, CountersContext, Occupancy, Verdict } from "../counters.ts";
import { GatewayError } from "../errors.ts";
import type { RedisAddress } from "../resources/redis-client.ts";
import type { Clock } from "./memory-counters.ts";
import { createRedisLink } from "./redis-link.ts";
import { createRedisPlaces } from "./redis-places.ts";
import { takeScript } from "./redis-scripts.ts";

/** How counters in Redis are kept. */
export interface RedisCountersOptions extends RedisAddress {
  /** What the names of all counters begin with. */
  readonly prefix: string;
  /** Milliseconds until Redis counts as away. */
  readonly timeout: number;
  /** What is done while it is. */
  readonly whenAway: "memory" | "refuse";
  /** The time; that of Redis by default. */
  readonly clock?: Clock;
}

/**
 * Counters in Redis. What it counted is counted by `own` as well, so that those go on from there while it is away.
 * Resolves when Redis was asked the first time, whether it is there or not.
 */
export async function openRedisCounters(
  options: RedisCountersOptions,
  own: Counters,
  context: CountersContext,
): Promise<Counters> {
  const { prefix, timeout, whenAway, clock = () => -1 } = options;
  const link = createRedisLink(options, timeout, context, () => places.renew());
  const places = createRedisPlaces(link, { prefix, clock, gateway: randomBytes(9).toString("base64url") });
  await link.start();

  async function take(claims: readonly Claim[]): Promise<Verdict> {
    const keys = claims.map(({ key }) => prefix + key);
    const answer = await link.run(takeScript, keys, [clock(), ...claims.flatMap(argumentsOf)]);
    return readVerdict(answer, claims.length);
  }

  /** Asks Redis where it is there, and what counts in its place where it is not. */
  async function either<T>(inRedis: () => Promise<T>, instead: () => T | Promise<T>): Promise<T> {
    if (!link.isThere) {
      if (whenAway === "refuse") throw new GatewayError(503, "Limits cannot be counted", { retryAfter: 1 });
      return instead();
    }
    try {
      return await inRedis();
    } catch (error) {
      if (whenAway === "refuse") throw error;
      return instead();
    }
  }

  return {
    take: (claims) =>
      either(
        async () => {
          const verdict = await take(claims);
          if (verdict.refusedBy === -1) keepOwn(own, claims);
          return verdict;
        },
        () => own.take(claims),
      ),
    async enter(seats) {
      // Here are never more than everywhere, so that what is too much here needs nobody else's word.
      const here = await own.enter(seats);
      if (typeof here === "number") return here;
      try {
        const there = await either(
          () => places.enter(seats),
          () => places.hold(seats),
        );
        if (typeof there !== "number") return joined(here, there);
        here.leave();
        return there;
      } catch (error) {
        here.leave();
        throw error;
      }
    },
    get trouble() {
      if (link.isThere) return undefined;
      return whenAway === "memory"
        ? { text: "Redis is away: limits are counted in memory", isRefusing: false }
        : { text: "Redis is away: requests with limits are refused", isRefusing: true };
    },
    metrics: () => [
      {
        name: "sluice_redis_up",
        kind: "gauge",
        help: "Whether Redis, where limits are counted, can be reached",
        series: [{ labels: [], value: link.isThere ? 1 : 0 }],
      },
    ],
    async close() {
      places.close();
      await link.close();
      await own.close?.();
    },
  };
}

/** What counts in Redis's place shall know what Redis knows; that it does not is no reason to refuse. */
function keepOwn(own: Counters, claims: readonly Claim[]): void {
  const kept = own.take(claims);
  if (kept instanceof Promise) kept.catch(() => undefined);
}

function joined(...all: readonly Occupancy[]): Occupancy {
  return {
    leave() {
      for (const each of all) each.leave();
    },
  };
}

function argumentsOf(claim: Claim): readonly (string | number)[] {
  return claim.kind === "rate" ? [claim.kind, claim.rate, claim.per] : [claim.kind, claim.max, claim.renewal];
}

/** Numbers come as texts: those of Redis are cut to whole ones of another size. -1 is without end. */
function readVerdict(answer: unknown, count: number): Verdict {
  const numbers = Array.isArray(answer) ? answer.map(Number) : [];
  const at = (position: number) => numbers[position] ?? Number.NaN;
  const time = (position: number) => (at(position) < 0 ? Number.POSITIVE_INFINITY : at(position));
  const standings = Array.from({ length: count }, (_, index) => ({
    remaining: at(2 + 2 * index),
    reset: time(3 + 2 * index),
  }));
  return { refusedBy: at(0), wait: time(1), standings };
}
