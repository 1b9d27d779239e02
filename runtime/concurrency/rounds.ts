// Work that costs as much for many items as for one, such as a write to a socket.

import { InFlight } from "./in-flight.ts";

/** What came in one turn of the event loop. */
interface Round<T> {
  readonly items: T[];
  readonly done: Promise<void>;
}

/** Does one piece of work for all that is added in one turn of the event loop. Rounds may overlap. */
export class Rounds<T> {
  readonly #work: (items: readonly T[]) => Promise<void>;
  readonly #inFlight = new InFlight();
  #next: Round<T> | undefined;

  /** `work` is called at the end of a turn, with the items in the order in which they were added. */
  constructor(work: (items: readonly T[]) => Promise<void>) {
    this.#work = work;
  }

  /** Settles as the work of the round that `items` are in. */
  add(items: readonly T[]): Promise<void> {
    this.#next ??= this.#begin();
    this.#next.items.push(...items);
    return this.#next.done;
  }

  /** Resolves when no round is under way. */
  idle(): Promise<void> {
    return this.#inFlight.empty();
  }

  #begin(): Round<T> {
    const items: T[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#inFlight.begin();
    setImmediate(() => {
      this.#next = undefined;
      this.#work(items)
        .then(resolve, reject)
        .finally(() => this.#inFlight.end());
    });
    return { items, done: promise };
  }
}
