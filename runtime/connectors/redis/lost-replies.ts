/** Milliseconds after which a request whose reply was lost has no effect any more: it waits at most one second for a value. */
const latestEffect = 2_000;

/**
 * Says when to look for what a request took although its reply was lost. Redis may execute the request of a lost connection
 * late: it was paused itself, or has not noticed the loss yet. So one looks at once, and again when that is over.
 */
export class LostReplies {
  #isLost: boolean;
  #again = Number.POSITIVE_INFINITY;

  /** `isLost`: whether a reply may have been lost before, by a process that has ended. */
  constructor(isLost: boolean) {
    this.#isLost = isLost;
  }

  /** Whether to look now. */
  get areDue(): boolean {
    return this.#isLost || performance.now() >= this.#again;
  }

  /** Records that a reply was lost. */
  note(): void {
    this.#isLost = true;
  }

  /** Records that one begins to look. */
  looked(): void {
    this.#again = this.#isLost ? performance.now() + latestEffect : Number.POSITIVE_INFINITY;
    this.#isLost = false;
  }
}
