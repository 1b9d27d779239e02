// Notices a connection that takes no bytes although some wait for it.

/**
 * Watches the writes of one connection: calls `onStall` with the connection when writes are under way and none of them ends for
 * `milliseconds`. A gateway may have a guard for each of thousands of idle clients: it makes no function of its own.
 */
export class StallGuard<C> {
  readonly #milliseconds: number;
  readonly #connection: C;
  readonly #onStall: (connection: C) => void;
  #open = 0;
  #timer: NodeJS.Timeout | undefined = undefined;

  constructor(milliseconds: number, connection: C, onStall: (connection: C) => void) {
    this.#milliseconds = milliseconds;
    this.#connection = connection;
    this.#onStall = onStall;
  }

  /** A write has begun. */
  began(): void {
    this.#open += 1;
    if (this.#timer === undefined) this.#timer = setTimeout(judge, this.#milliseconds, this);
    else if (this.#open === 1) this.#timer.refresh();
  }

  /** A write has left the process. */
  ended(): void {
    this.#open -= 1;
    // A timer that runs on costs less than one for each write.
    if (this.#open > 0) this.#timer?.refresh();
  }

  /** The time of the latest write is over. */
  judge(): void {
    this.#timer = undefined;
    if (this.#open > 0) this.#onStall(this.#connection);
  }

  /** The connection is gone. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function judge<C>(guard: StallGuard<C>): void {
  guard.judge();
}
