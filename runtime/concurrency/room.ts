// Room for a number of things at once, which are taken several at a time.

/** Gives room in the order it was asked for. */
export class Room {
  readonly #size: number;
  readonly #waiting: { readonly count: number; resolve(): void }[] = [];
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Resolves once there is room for `count`; what is larger than all the room gets it alone. */
  async take(count: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(count)) this.#taken += count;
    else await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** Gives back what was taken. */
  give(count: number): void {
    this.#taken -= count;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.count); next = this.#waiting[0]) {
      this.#taken += next.count;
      this.#waiting.shift();
      next.resolve();
    }
  }

  #fits(count: number): boolean {
    return this.#taken === 0 || this.#taken + count <= this.#size;
  }
}
