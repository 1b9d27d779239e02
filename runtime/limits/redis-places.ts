// The connections of one gateway among those that Redis knows of, for as long as the gateway says that they are open.

import type { Occupancy, Seat } from "../counters.ts";
import type { Clock } from "./memory-counters.ts";
import type { RedisLink } from "./redis-link.ts";
import { enterScript, renewScript } from "./redis-scripts.ts";

/** Milliseconds after which a gateway that says nothing more has nothing open. */
const lease = 60_000;
const renewal = 20_000;
const microseconds = 1_000;
/** Places renewed by one command. */
const atOnce = 500;

/** Places in Redis. */
export interface RedisPlaces {
  /** As `Counters.enter`. */
  enter(seats: readonly Seat[]): Promise<Occupancy | number>;
  /** Takes places that Redis is told of when it is back, however many there are. */
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
export function createRedisPlaces(link: RedisLink, { prefix, clock, gateway }: PlacesOptions): RedisPlaces {
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

  /** What Redis does not hear now, it forgets by itself. */
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
      // That it is away was noted; it is told again when it is back.
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
