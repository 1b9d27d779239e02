// Queues in the store, shared by gateways. The gateway that holds the lease of a queue processes it until the queue is
// done or the lease ends.

import { randomUUID } from "node:crypto";
import { abort } from "../concurrency/abort.ts";
import { pause } from "../concurrency/backoff.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import type { Logger } from "../process/log.ts";
import type { Store } from "../store/store.ts";

/** The holder of a lease, and when it ends. Times are milliseconds since 1970 by the clock of the store. */
export interface QueueLease {
  readonly holder: string;
  readonly now: number;
  readonly until: number;
}

/** The work on a kind of queue. */
export interface QueueWork {
  /** The name in log lines, such as `webhook delivery`. */
  readonly name: string;
  readonly store: Store;
  readonly log: Logger;
  /** The number of queues processed concurrently. */
  readonly mostAtOnce: number;
  /** The maximum duration of an attempt, in milliseconds. */
  readonly attemptTime: number;
  /** Milliseconds between two polls for work that other gateways added or left behind. */
  readonly lookEvery: number;
  /** Takes leases on queues with work, at most `most`, and returns the queues. */
  take(lease: QueueLease, most: number): Promise<readonly string[]>;
  /** Processes a queue whose lease was taken, and releases the lease. */
  serve(queue: string, turn: QueueTurn): Promise<void>;
  /** Deletes obsolete data; called every ten minutes. */
  sweep(): Promise<void>;
}

/** The context of the work on a queue. */
export interface QueueTurn {
  /** Returns a lease that starts now, for the holder that took the queue. */
  lease(): Promise<QueueLease>;
  /** Aborted when no new attempt may begin. */
  readonly stopping: AbortSignal;
  /** Aborted when running attempts have to end. */
  readonly cutting: AbortSignal;
  /** Polls again after a delay that is shorter than `lookEvery`. */
  lookAfter(milliseconds: number): void;
}

/** Queues that are being processed. */
export interface ServedQueues {
  /** Polls immediately. */
  wake(): void;
  /** Ends running attempts soon, as if they had not begun, and releases the leases. */
  close(): Promise<void>;
}

/**
 * A lease lasts this much longer than an attempt. It is renewed if less than this would be left after the next attempt.
 */
export const leaseMargin = 5_000;
/** Milliseconds between two calls of `sweep`. */
const sweepEvery = 600_000;
/** Milliseconds that running attempts get to finish when the gateway closes. */
const closingTime = 2_000;

/** Starts to process queues. */
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
      // The regular polls cover longer delays.
      if (milliseconds < lookEvery) void pause(milliseconds, stopping.signal).then(() => abort(waking));
    },
  };

  /** Retries after any error, because the store may recover. Logs the first failure, and when it resumes. */
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
          abort(waking);
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
    wake: () => abort(waking),
    async close() {
      abort(stopping);
      abort(waking);
      await loop;
      const rest = Promise.all(running);
      if (!(await settlesWithin(rest, closingTime))) abort(cutting);
      await rest;
    },
  };
}

/** Milliseconds after which the clock is read again, because clocks of machines drift apart slowly. */
const readEvery = 60_000;

/** The clock of the store, read only from time to time. */
class StoreClock {
  readonly #store: Store;
  #read = { at: Number.NEGATIVE_INFINITY, time: 0 };

  constructor(store: Store) {
    this.#store = store;
  }

  /** Milliseconds since 1970. Uses the monotonic clock between two readings, so that it neither stops nor jumps. */
  async now(): Promise<number> {
    if (performance.now() - this.#read.at > readEvery) {
      const time = await this.#store.time();
      // Measured after the response: a clock that is behind ends leases too late rather than too early.
      this.#read = { at: performance.now(), time };
    }
    return Math.floor(this.#read.time + performance.now() - this.#read.at);
  }
}
