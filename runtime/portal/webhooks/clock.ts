// The clock of the store, which is the same for all gateways that share one.

import type { Store } from "../../store/store.ts";

/** Milliseconds after which the clock is read again: clocks of machines drift apart slowly. */
const readEvery = 60_000;

/** Tells the time of the store without asking for it each time. */
export class StoreClock {
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
