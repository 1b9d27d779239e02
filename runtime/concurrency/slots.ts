/** A number of places for work that is done side by side; what finds none waits its turn. */
export class Slots {
  #free: number;
  #busy = 0;
  #waiting: (() => void)[] = [];
  #idle: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Does `work` once there is a place, and gives what it gives. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
      this.#busy -= 1;
      if (this.#busy === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Resolves when nothing is done or waits. */
  async idle(): Promise<void> {
    if (this.#busy > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
