// How much is under way, and when nothing is any more.

/** Counts what begins and ends. */
export class InFlight {
  #count = 0;
  #emptied: PromiseWithResolvers<void> | undefined;

  /** What has begun and not ended. */
  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0 || this.#emptied === undefined) return;
    this.#emptied.resolve();
    this.#emptied = undefined;
  }

  /** Resolves when nothing is under way: at once where that is so now. */
  empty(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    this.#emptied ??= Promise.withResolvers();
    return this.#emptied.promise;
  }
}
