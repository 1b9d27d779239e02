// Counts in Redis, together with every gateway that names the same one.

import { randomBytes } from "node:crypto";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import type { Claim, Counters, CountersContext, Occupancy, RateVerdict, Seat } from "../counters.ts";
import { GatewayError } from "../errors.ts";
import { createRedisConnection, type RedisAddress, type RedisConnection } from "../resources/redis-client.ts";
import type { Clock } from "./memory-counters.ts";
import { enterScript, type RedisScript, renewScript, takeScript } from "./redis-scripts.ts";

/** Milliseconds between attempts to reach Redis once it is away. */
const retries = { first: 200, longest: 2_000 };

/** Redis while it answers. */
interface RedisLink {
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
function createRedisLink(
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

  async function take(claims: readonly Claim[]): Promise<RateVerdict> {
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
      // Here are never more than everywhere, so that what is too much here needs no other count.
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
        ? { text: "Redis is away: limits are counted in memory", isRefusing: false }
        : { text: "Redis is away: requests with limits are refused", isRefusing: true };
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

/** Milliseconds after which a gateway that says nothing more has nothing open. */
const lease = 60_000;
const renewal = 20_000;
const microseconds = 1_000;
/** Places renewed by one command. */
const atOnce = 500;

/** Places in Redis. */
interface RedisPlaces {
  /** As `Counters.enter`. */
  enter(seats: readonly Seat[]): Promise<Occupancy | number>;
  /** Takes places that are reported to Redis when it is back, however many there are. */
  hold(seats: readonly Seat[]): Occupancy;
  /** Tells Redis what is open. */
  renew(): void;
  close(): void;
}

interface PlacesOptions {
  readonly prefix: string;
  readonly clock: Clock;
  /** Tells its connections from those of others. */
  readonly gateway: string;
}

/** Places of the connections of one gateway. */
function createRedisPlaces(link: RedisLink, { prefix, clock, gateway }: PlacesOptions): RedisPlaces {
  /** The keys that each connection has a place at. */
  const open = new Map<string, readonly string[]>();
  /** Asked for without an answer: Redis may have them all the same. */
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

  /** A release that does not reach Redis expires there. */
  function giveBack(id: string, keys: readonly string[]): void {
    if (link.isThere) for (const key of keys) link.tell((redis) => redis.zrem(key, id));
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
      // That it is away was noted; its return is reported, too.
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
