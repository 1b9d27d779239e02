/**
 * Confirms what was published by asking the server for a sign that it has read so far. One question is
 * under way at a time; what is published meanwhile shares the next one.
 */
export class Confirmations {
  readonly #flush: () => Promise<void>;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** `flush` resolves once the server has read everything sent before it. */
  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** Resolves once everything published before this call is confirmed; rejects when that is unknown. */
  confirm(): Promise<void> {
    if (this.#current === undefined) return this.#begin();
    this.#next ??= this.#current.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  /** Resolves when no question is under way. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.#current, this.#next]);
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const current = this.#flush().finally(() => {
      if (this.#current === current) this.#current = undefined;
    });
    this.#current = current;
    return current;
  }
}
