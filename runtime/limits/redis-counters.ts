// Counters in Redis, shared by every gateway that uses the same one.

import { randomBytes } from "node:crypto";
import { abort } from "../concurrency/abort.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import type { Claim, Counters, CountersContext, Occupancy, RateVerdict, Seat } from "../counters.ts";
import { GatewayError } from "../errors.ts";
import { createRedisConnection, type RedisAddress, type RedisConnection } from "../resources/redis-client.ts";
import type { Clock } from "./memory-counters.ts";
import { enterScript, type RedisScript, renewScript, takeScript } from "./redis-scripts.ts";

/** Milliseconds between attempts to reach Redis while it is unreachable. */
const retries = { first: 200, longest: 2_000 };

/** The connection to Redis. */
interface RedisLink {
  /** Whether Redis responded last time. */
  readonly isThere: boolean;
  /** Whether it did and the connection is open: without requests, nothing else shows that it is unreachable. */
  readonly isReachable: boolean;
  /** Runs a script. If there is no response in time, rejects with a `GatewayError`, and Redis counts as unreachable. */
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Sends a command without waiting for the response. */
  send(command: Parameters<RedisConnection["ask"]>[0]): void;
  /** Resolves when the first attempt to connect is over. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a link, not open yet. `timeout`: milliseconds. `onReturn`: called each time Redis is reachable again. */
function createRedisLink(
  address: RedisAddress,
  timeout: number,
  { log, signal }: CountersContext,
  onReturn: () => void,
): RedisLink {
  const connection = createRedisConnection(address, { answerTime: timeout });
  const closing = new AbortController();
  const ending = AbortSignal.any([signal, closing.signal]);
  let state: "new" | "reachable" | "unreachable" = "new";
  let returning: Promise<void> | undefined;
  let isStarted = false;

  function noteOutage(error: unknown): void {
    if (state === "unreachable" || ending.aborted) return;
    state = "unreachable";
    log.warn("Redis unavailable, limits are not counted there", { error });
    returning ??= comeBack().finally(() => {
      returning = undefined;
    });
  }

  async function reach(): Promise<void> {
    if (!isStarted) await connection.start({ log, signal });
    isStarted = true;
    await connection.ask((redis) => redis.ping());
    if (state === "unreachable") log.info("Redis available again, limits are counted there");
    state = "reachable";
    onReturn();
  }

  async function comeBack(): Promise<void> {
    const backoff = createBackoff(retries);
    while (state !== "reachable" && !ending.aborted) {
      await pause(backoff.next(), ending);
      // The reason was logged when it became unreachable.
      if (!ending.aborted) await reach().catch(() => undefined);
    }
  }

  return {
    get isThere() {
      return state === "reachable";
    },
    get isReachable() {
      return state === "reachable" && connection.isReady;
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
        noteOutage(error);
        throw new GatewayError(503, "Limits cannot be counted", { cause: error, retryAfter: 1 });
      }
    },
    send(command) {
      connection.ask(command).catch(noteOutage);
    },
    async start() {
      await reach().catch(noteOutage);
    },
    async close() {
      abort(closing);
      await returning;
      await connection.close();
    },
  };
}

/** Settings of counters in Redis. */
export interface RedisCountersOptions extends RedisAddress {
  /** The prefix of all counter names. */
  readonly prefix: string;
  /** Milliseconds until Redis counts as unreachable. */
  readonly timeout: number;
  /** How requests are counted meanwhile. */
  readonly whenAway: "memory" | "refuse";
  /** Returns the time; by default the scripts use the time of Redis. */
  readonly clock?: Clock;
}

/**
 * Opens counters in Redis. `own` counts the same requests, so that it can continue while Redis is unreachable.
 * Resolves when Redis was tried the first time, whether or not it responded.
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

  async function take(claims: readonly Claim[]): Promise<RateVerdict> {
    const keys = claims.map(({ key }) => prefix + key);
    const answer = await link.run(takeScript, keys, [clock(), ...claims.flatMap(argumentsOf)]);
    return readVerdict(answer, claims.length);
  }

  /** Calls `inRedis` if Redis is reachable, otherwise `instead`; rejects instead if `whenAway` is `refuse`. */
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
      // The total is never less than the own count, so a limit that is exceeded here needs no request to Redis.
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
      if (link.isReachable) return undefined;
      return whenAway === "memory"
        ? { text: "Redis is unavailable: limits are counted in memory", isRefusing: false }
        : { text: "Redis is unavailable: requests with limits are rejected", isRefusing: true };
    },
    metrics: () => [
      {
        name: "sluice_redis_up",
        kind: "gauge",
        help: "Whether Redis, where limits are counted, can be reached",
        series: [{ labels: [], value: link.isReachable ? 1 : 0 }],
      },
    ],
    async close() {
      places.close();
      await link.close();
      await own.close?.();
    },
  };
}

/** Counts in `own` what Redis has counted; a failure to do so is no reason to refuse the request. */
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

/** Converts the response. Numbers are texts, because Redis truncates its own to integers. -1 means infinite. */
function readVerdict(answer: unknown, count: number): RateVerdict {
  const numbers = Array.isArray(answer) ? answer.map(Number) : [];
  const at = (position: number) => numbers[position] ?? Number.NaN;
  const time = (position: number) => (at(position) < 0 ? Number.POSITIVE_INFINITY : at(position));
  const standings = Array.from({ length: count }, (_, index) => ({
    remaining: at(2 + 2 * index),
    reset: time(3 + 2 * index),
  }));
  return { refusedBy: at(0), wait: time(1), standings };
}

/**
 * Milliseconds after which the places of a gateway that sends nothing more expire, and milliseconds between renewals.
 */
const lease = 60_000;
const renewal = 20_000;
const microseconds = 1_000;
/** The most places that one command renews. */
const atOnce = 500;

/** Places in Redis. */
interface RedisPlaces {
  /** As `Counters.enter`. */
  enter(seats: readonly Seat[]): Promise<Occupancy | number>;
  /** Takes places regardless of the limits; they are reported to Redis when it is reachable again. */
  hold(seats: readonly Seat[]): Occupancy;
  /** Reports the open places to Redis. */
  renew(): void;
  close(): void;
}

interface PlacesOptions {
  readonly prefix: string;
  readonly clock: Clock;
  /** Distinguishes the connections of this gateway from those of others. */
  readonly gateway: string;
}

/** Creates the places of the connections of one gateway. */
function createRedisPlaces(link: RedisLink, { prefix, clock, gateway }: PlacesOptions): RedisPlaces {
  /** The keys at which each connection has a place. */
  const open = new Map<string, readonly string[]>();
  /** Places whose request had no response: Redis may have recorded them. */
  const doubtful = new Map<string, readonly string[]>();
  let timer: NodeJS.Timeout | undefined;
  let last = 0;

  function occupy(id: string, keys: readonly string[]): Occupancy {
    open.set(id, keys);
    timer ??= setInterval(renew, renewal);
    return {
      leave() {
        if (!open.delete(id)) return;
        if (open.size === 0) stop();
        giveBack(id, keys);
      },
    };
  }

  /** Releases places; a release that does not reach Redis expires there. */
  function giveBack(id: string, keys: readonly string[]): void {
    if (link.isThere) for (const key of keys) link.send((redis) => redis.zrem(key, id));
  }

  function nextId(): string {
    last += 1;
    return `${gateway}:${last}`;
  }

  function renew(): void {
    for (const [id, keys] of doubtful) giveBack(id, keys);
    doubtful.clear();
    const places = [...open].flatMap(([id, keys]) => keys.map((key) => [key, id] as const));
    for (let from = 0; from < places.length && link.isThere; from += atOnce) {
      const some = places.slice(from, from + atOnce);
      const [keys, ids] = [some.map(([key]) => key), some.map(([, id]) => id)];
      // The failure was logged already, and the return of Redis is reported, too.
      link.run(renewScript, keys, [clock(), lease * microseconds, ...ids]).catch(() => undefined);
    }
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  const keysOf = (seats: readonly Seat[]) => seats.map(({ key }) => prefix + key);
  return {
    async enter(seats) {
      const [id, keys] = [nextId(), keysOf(seats)];
      const most = seats.map(({ max }) => max);
      const args = [clock(), id, lease * microseconds, ...most];
      const answer = link.run(enterScript, keys, args).catch((error: unknown) => {
        doubtful.set(id, keys);
        throw error;
      });
      const full = Number(await answer);
      return full === -1 ? occupy(id, keys) : full;
    },
    hold: (seats) => occupy(nextId(), keysOf(seats)),
    renew,
    close: stop,
  };
}
