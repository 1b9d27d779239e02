// Single durations of one interval, or a sample of them.

/** How many are kept. */
const most = 200;

/** Durations of which each had the same chance to be kept. */
export class Timings {
  #kept: number[] = [];
  #count = 0;

  record(milliseconds: number): void {
    this.#count += 1;
    if (this.#kept.length < most) {
      this.#kept.push(milliseconds);
      return;
    }
    // Reservoir sampling: the newest takes the place of another with the chance that each has.
    const place = Math.floor(Math.random() * this.#count);
    if (place < most) this.#kept[place] = milliseconds;
  }

  /** What was kept, and which share of all that is; begins anew. */
  take(): { readonly kept: readonly number[]; readonly rate: number } {
    const taken = { kept: this.#kept, rate: this.#count === 0 ? 1 : this.#kept.length / this.#count };
    this.#kept = [];
    this.#count = 0;
    return taken;
  }
}
