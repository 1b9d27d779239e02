// In the primary: counts for its workers, so that a limit is one limit however many they are.

import type { CountAnswer, Counters, CountRequest, Occupancy } from "../../counters.ts";

/** What one worker has open. */
type Places = Map<number, Occupancy>;

/** Answers workers by counters in the primary's memory, which answer at once. */
export class Counting {
  readonly #counters: Counters;
  readonly #places = new Map<number, Places>();
  #entered = 0;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Answers what a worker asks, in order. */
  async answer(worker: number, requests: readonly CountRequest[]): Promise<readonly CountAnswer[]> {
    const places = this.#places.get(worker) ?? new Map();
    this.#places.set(worker, places);
    return Promise.all(requests.map((request) => this.#answerOne(places, request)));
  }

  /** Takes back what a worker had open that is no more. */
  forget(worker: number): void {
    for (const place of this.#places.get(worker)?.values() ?? []) place.leave();
    this.#places.delete(worker);
  }

  async #answerOne(places: Places, request: CountRequest): Promise<CountAnswer> {
    if ("claims" in request) return this.#counters.take(request.claims);
    if ("left" in request) {
      places.get(request.left)?.leave();
      places.delete(request.left);
      return { entered: request.left };
    }
    const entered = await this.#counters.enter(request.seats);
    if (typeof entered === "number") return { full: entered };
    this.#entered += 1;
    places.set(this.#entered, entered);
    return { entered: this.#entered };
  }
}
