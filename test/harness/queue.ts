import { type UntilOptions, within } from "./wait.ts";

/** What arrives at a client, taken in order by a test that waits for it. */
export class Queue<T> {
  /** Everything that ever arrived, taken or not. */
  readonly all: T[] = [];
  #taken = 0;
  #waiting: { resolve: (value: T) => void; reject: (error: Error) => void }[] = [];
  #closed: Error | undefined;

  /** Adds an item, or hands it to the longest waiting `next`. */
  push(item: T): void {
    this.all.push(item);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#taken += 1;
    waiting.resolve(item);
  }

  /** No more items come: whoever waits for one fails with `reason`. */
  close(reason: string): void {
    this.#closed = new Error(reason);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#closed);
  }

  /** Whether `close` was called. */
  get closed(): boolean {
    return this.#closed !== undefined;
  }

  /** The oldest item not taken yet, awaited when there is none. */
  async next(options?: UntilOptions): Promise<T> {
    const position = this.#taken;
    if (position < this.all.length) {
      this.#taken += 1;
      return this.all[position] as T; // the position is inside the array
    }
    if (this.#closed !== undefined) throw this.#closed;
    const arriving = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
    return within(arriving, { what: "the next item", ...options });
  }

  /** The next `count` items. */
  async take(count: number, options?: UntilOptions): Promise<T[]> {
    const items: T[] = [];
    while (items.length < count) items.push(await this.next(options));
    return items;
  }
}
