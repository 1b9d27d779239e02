// Queues in the store that gateways serve: the one with the lease on a queue works on it, until that is done or the lease ends.

import { randomUUID } from "node:crypto";
import { pause } from "../concurrency/backoff.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import type { Logger } from "../process/log.ts";
import type { Store } from "../store/store.ts";

/** Who works, and until when no other process does. Times are milliseconds since 1970, by the clock of the store. */
export interface QueueLease {
  readonly holder: string;
  readonly now: number;
  readonly until: number;
}

/** What is done with queues. */
export interface QueueWork {
  /** What it is called in log lines: `webhook delivery`. */
  readonly name: string;
  readonly store: Store;
  readonly log: Logger;
  /** Queues that are served side by side. */
  readonly mostAtOnce: number;
  /** Milliseconds that one attempt takes at most. */
  readonly attemptTime: number;
  /** Milliseconds between looks for what other gateways have put into the store, or left when they ended. */
  readonly lookEvery: number;
  /** Takes leases on queues that wait, at most so many. */
  take(lease: QueueLease, most: number): Promise<readonly string[]>;
  /** Works on a queue whose lease was taken, and gives the lease back. */
  serve(queue: string, turn: QueueTurn): Promise<void>;
  /** Deletes what is not needed any more; called every ten minutes. */
  sweep(): Promise<void>;
}

/** What work on a queue is done with. */
export interface QueueTurn {
  /** A lease from now on, of the holder that the queue was taken for. */
  lease(): Promise<QueueLease>;
  /** Aborted when nothing new is to be begun. */
  readonly stopping: AbortSignal;
  /** Aborted when what is under way has to end. */
  readonly cutting: AbortSignal;
  /** Has the queues looked at again after a delay that is shorter than `lookEvery`. */
  lookAfter(milliseconds: number): void;
}

/** Queues that are served. */
export interface ServedQueues {
  /** Tells that there is something to do now. */
  wake(): void;
  /** Ends what is under way soon, as if it had not been begun, and gives leases back. */
  close(): Promise<void>;
}

/** A lease outlasts an attempt by this, and is renewed where less than this would be left after one. */
export const leaseMargin = 5_000;
/** How often what is not needed any more is deleted. */
const sweepEvery = 600_000;
/** For attempts under way when the gateway closes. */
const closingTime = 2_000;

/** Begins to serve queues. */
export function serveQueues(work: QueueWork): ServedQueues {
  const { store, log, name, lookEvery } = work;
  const clock = new StoreClock(store);
  const holder = randomUUID();
  const stopping = new AbortController();
  const cutting = new AbortController();
  let waking = new AbortController();
  const running = new Set<Promise<void>>();
  let isFailing = false;
  let swept = Number.NEGATIVE_INFINITY;

  const turn: QueueTurn = {
    async lease() {
      const now = await clock.now();
      return { holder, now, until: now + work.attemptTime + 2 * leaseMargin };
    },
    stopping: stopping.signal,
    cutting: cutting.signal,
    lookAfter(milliseconds) {
      // A longer delay is found over by a later look.
      if (milliseconds < lookEvery) void pause(milliseconds, stopping.signal).then(() => waking.abort());
    },
  };

  /** What is not understood is the store's, which may come back: one line tells of it, and one of its return. */
  async function guarded(attempt: () => Promise<void>): Promise<void> {
    try {
      await attempt();
      if (isFailing) log.info(`${name} resumed`);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error(`${name} failed, retrying`, { error });
      isFailing = true;
    }
  }

  async function look(): Promise<void> {
    const free = work.mostAtOnce - running.size;
    if (free > 0) {
      for (const queue of await work.take(await turn.lease(), free)) {
        const served = guarded(() => work.serve(queue, turn)).finally(() => {
          running.delete(served);
          waking.abort();
        });
        running.add(served);
      }
    }
    if (performance.now() - swept < sweepEvery) return;
    swept = performance.now();
    await work.sweep();
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      waking = new AbortController();
      await guarded(look);
      await pause(lookEvery, waking.signal);
    }
  }
  const loop = run();

  return {
    wake: () => waking.abort(),
    async close() {
      stopping.abort();
      waking.abort();
      await loop;
      const rest = Promise.all(running);
      if (!(await settlesWithin(rest, closingTime))) cutting.abort();
      await rest;
    },
  };
}

/** Milliseconds after which the clock is read again: clocks of machines drift apart slowly. */
const readEvery = 60_000;

/** Tells the time of the store without asking for it each time. */
class StoreClock {
  readonly #store: Store;
  #read = { at: Number.NEGATIVE_INFINITY, time: 0 };

  constructor(store: Store) {
    this.#store = store;
  }

  /** Milliseconds since 1970. It goes by steady time between its readings, so that it stands still or jumps nowhere. */
  async now(): Promise<number> {
    if (performance.now() - this.#read.at > readEvery) {
      const time = await this.#store.time();
      // After the answer: a clock that is behind ends leases too late rather than too early.
      this.#read = { at: performance.now(), time };
    }
    return Math.floor(this.#read.time + performance.now() - this.#read.at);
  }
}
