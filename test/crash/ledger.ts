import { until } from "../harness/wait.ts";
import { keyOf } from "./source.ts";

/** How long nothing at all may arrive before a wait is given up; it bounds a broken run and decides no other. */
const longestSilence = 180_000;

/** Which numbered messages have arrived, and how often. */
export class Ledger {
  readonly #counts = new Map<number, number>();
  readonly #latest = new Map<number, number>();
  #arrivals = 0;
  #overtaken = 0;

  /** A message has arrived. */
  add(number: number): void {
    if (!this.#counts.has(number)) {
      const latest = this.#latest.get(keyOf(number)) ?? -1;
      if (number < latest) this.#overtaken += 1;
      else this.#latest.set(keyOf(number), number);
    }
    this.#counts.set(number, (this.#counts.get(number) ?? 0) + 1);
    this.#arrivals += 1;
  }

  /** Different numbers so far. */
  get distinct(): number {
    return this.#counts.size;
  }

  /** Arrivals of numbers that had arrived before. */
  get duplicates(): number {
    return this.#arrivals - this.#counts.size;
  }

  /** Numbers that arrived for the first time behind a later one of their key. */
  get overtaken(): number {
    return this.#overtaken;
  }

  /** Those of the wanted numbers that have not arrived. */
  missing(wanted: Iterable<number>): number[] {
    return [...wanted].filter((number) => !this.#counts.has(number));
  }

  /** Resolves when that many different numbers have arrived; false when nothing arrives any more. */
  reach(distinct: number): Promise<boolean> {
    return this.#waitFor(() => this.distinct >= distinct);
  }

  /** Resolves when all of these have arrived; false when nothing arrives any more. */
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
