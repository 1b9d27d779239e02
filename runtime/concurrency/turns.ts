// Work that is done by a bounded number at a time, in the order it came.

/** Hands out turns, the longest waiting first. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How much work waits for its turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** How much may be done at a time; what has its turn keeps it when that becomes less. */
  set limit(limit: number) {
    this.#limit = limit;
    while (this.#taken < limit && this.#waiting.length > 0) {
      this.#taken += 1;
      this.#waiting.shift()?.();
    }
  }

  /** Does `work` when its turn comes; the turn ends with it. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#taken += 1;
    try {
      return await work();
    } finally {
      // The turn passes to the next one directly, so that nobody who comes now gets in between.
      const next = this.#taken > this.#limit ? undefined : this.#waiting.shift();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }
}
