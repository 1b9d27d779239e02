import { type UntilOptions, within } from "./wait.ts";

/** Items that arrive at a client. A test takes them in order and waits for those that have not arrived. */
export class Queue<T> {
  /** Everything that arrived, taken or not. */
  readonly all: T[] = [];
  #taken = 0;
  #waiting: { resolve: (value: T) => void; reject: (error: Error) => void }[] = [];
  #closed: Error | undefined;

  /** Adds an item, or passes it to the `next` that has waited longest. */
  push(item: T): void {
    this.all.push(item);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#taken += 1;
    waiting.resolve(item);
  }

  /** Ends the queue: every waiting or later `next` without an item rejects with `reason`. */
  close(reason: string): void {
    this.#closed = new Error(reason);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#closed);
  }

  /** Whether `close` was called. */
  get closed(): boolean {
    return this.#closed !== undefined;
  }

  /** Takes the oldest item not taken yet; waits if there is none. */
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

  /** Takes the next `count` items. */
  async take(count: number, options?: UntilOptions): Promise<T[]> {
    const items: T[] = [];
    while (items.length < count) items.push(await this.next(options));
    return items;
  }
}
