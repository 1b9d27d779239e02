// A rate that something is held to in this process, by waiting.

import type { Membership, PoolClient } from "../component/clients.ts";
import type { Join, JoinNow } from "../component/message-gates.ts";
import { pause } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";
import type { RateLimit } from "../keys/session.ts";
import { type Bucket, excessOf, type Leak } from "./bucket.ts";
import type { Clock } from "./memory-counters.ts";

/** Rates that count together. */
export interface Pace {
  /** Milliseconds until one more may pass; 0 where it may now. */
  wait(): number;
  /** Counts one, whether it may pass or not. */
  count(): void;
}

const microseconds = 1_000_000;
const microsecondsPerMillisecond = 1_000;

/** `undefined` where none of `rates` limits anything. */
export function createPace(rates: readonly RateLimit[], clock: Clock): Pace | undefined {
  const leaks = rates
    .filter(({ rate, per }) => rate > 0 && per > 0)
    .map(({ rate, per }): [Leak, Bucket] => [
      { rate, per: Math.round(per * microseconds) },
      { level: 0, at: 0 },
    ]);
  if (leaks.length === 0) return undefined;
  return {
    wait() {
      const time = clock();
      const excess = Math.max(...leaks.map(([leak, bucket]) => excessOf(leak, bucket, time)));
      return Math.ceil(excess / microsecondsPerMillisecond);
    },
    count() {
      for (const [leak, bucket] of leaks) bucket.level += leak.per;
    },
  };
}

/** Lets one pass at a time, in the order of the calls; rejects with a `GatewayError` when the signal is aborted before. */
export function createQueue(pace: Pace): (signal: AbortSignal) => Promise<void> {
  let last = Promise.resolve();

  async function pass(signal: AbortSignal): Promise<void> {
    for (let wait = pace.wait(); wait > 0; wait = pace.wait()) {
      if (signal.aborted) throw new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
      await pause(wait, signal);
    }
    pace.count();
  }

  return (signal) => {
    const turn = last.then(() => pass(signal));
    last = turn.catch(() => undefined); // told to whoever waits for it
    return turn;
  };
}

/** Has clients taken in that say that they are ready only as often as they may get something. */
export function paceClients(pace: Pace): { (join: JoinNow): JoinNow; (join: Join): Join } {
  function by(join: JoinNow): JoinNow;
  function by(join: Join): Join;
  function by(join: Join): Join {
    return (client) => {
      const paced = createPacedClient(client, pace);
      const joined = join(paced.client);
      return joined instanceof Promise ? joined.then(paced.follow) : paced.follow(joined);
    };
  }
  return by;
}

function createPacedClient(client: PoolClient, pace: Pace) {
  let membership: Membership | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasLeft = false;

  /** Nobody asks again by himself whether the client is ready. */
  function rest(): void {
    const wait = pace.wait();
    if (wait === 0 || hasLeft) return;
    timer = setTimeout(() => {
      timer = undefined;
      membership?.ready();
    }, wait);
  }

  return {
    client: {
      isReady: () => timer === undefined && client.isReady(),
      send(message, confirm, giveBack, id) {
        pace.count();
        rest();
        client.send(message, confirm, giveBack, id);
      },
      end: (isReplaced) => client.end(isReplaced),
    } satisfies PoolClient,
    follow(joined: Membership): Membership {
      membership = joined;
      return {
        ready: () => joined.ready(),
        leave() {
          hasLeft = true;
          clearTimeout(timer);
          joined.leave();
        },
      };
    },
  };
}
