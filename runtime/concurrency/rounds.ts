// Combines work that costs the same for many items as for one, such as a write to a socket.

import { InFlight } from "./in-flight.ts";

/** The items of one turn of the event loop. */
interface Round<T> {
  readonly items: T[];
  readonly done: Promise<void>;
}

/** Calls `work` once for all items that are added in one turn of the event loop. Rounds may overlap. */
export class Rounds<T> {
  readonly #work: (items: readonly T[]) => Promise<void>;
  readonly #inFlight = new InFlight();
  #next: Round<T> | undefined;

  /** `work`: called at the end of a turn, with the items in the order in which they were added. */
  constructor(work: (items: readonly T[]) => Promise<void>) {
    this.#work = work;
  }

  /** Adds items to the current round; settles like its work. */
  add(items: readonly T[]): Promise<void> {
    this.#next ??= this.#begin();
    // As arguments of one call of `push`, the messages of a large batch would not fit on the stack.
    for (const item of items) this.#next.items.push(item);
    return this.#next.done;
  }

  /** Resolves when no round is in flight. */
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

/** Returns a function that calls `work` once, after the current code, for all of its calls until then. */
export function afterwards(work: () => void): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    queueMicrotask(() => {
      isPlanned = false;
      work();
    });
  };
}
