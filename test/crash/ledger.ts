import { until } from "../harness/wait.ts";
import { keyOf } from "./source.ts";

/** Milliseconds without any arrival after which a wait ends. It only bounds broken runs. */
const longestSilence = 180_000;

/** Records which numbered messages have arrived, and how often. */
export class Ledger {
  readonly #counts = new Map<number, number>();
  readonly #latest = new Map<number, number>();
  #arrivals = 0;
  #overtaken = 0;

  /** Records the arrival of a message. */
  add(number: number): void {
    if (!this.#counts.has(number)) {
      const latest = this.#latest.get(keyOf(number)) ?? -1;
      if (number < latest) this.#overtaken += 1;
      else this.#latest.set(keyOf(number), number);
    }
    this.#counts.set(number, (this.#counts.get(number) ?? 0) + 1);
    this.#arrivals += 1;
  }

  /** The number of distinct messages so far. */
  get distinct(): number {
    return this.#counts.size;
  }

  /** The number of arrivals of messages that had arrived before. */
  get duplicates(): number {
    return this.#arrivals - this.#counts.size;
  }

  /** The number of messages that arrived for the first time after a later one of their key. */
  get overtaken(): number {
    return this.#overtaken;
  }

  /** Returns those of the wanted numbers that have not arrived. */
  missing(wanted: Iterable<number>): number[] {
    return [...wanted].filter((number) => !this.#counts.has(number));
  }

  /** Resolves with true when `distinct` distinct messages have arrived; with false if arrivals stop before. */
  reach(distinct: number): Promise<boolean> {
    return this.#waitFor(() => this.distinct >= distinct);
  }

  /** Resolves with true when all of these have arrived; with false if arrivals stop before. */
  reachAll(wanted: Iterable<number>): Promise<boolean> {
    let left = [...wanted];
    return this.#waitFor(() => {
      left = this.missing(left);
      return left.length === 0;
    });
  }

  async #waitFor(isReached: () => boolean): Promise<boolean> {
    let seen = -1;
    let since = Date.now();
    const outcome = await until(
      () => {
        if (isReached()) return "reached";
        if (this.#arrivals !== seen) {
          seen = this.#arrivals;
          since = Date.now();
        }
        return Date.now() - since > longestSilence && "silent";
      },
      { timeout: Number.POSITIVE_INFINITY },
    );
    return outcome === "reached";
  }
}
