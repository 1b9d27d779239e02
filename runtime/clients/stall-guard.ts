// Detects a connection that accepts no bytes although writes are pending.

import type { Writable } from "node:stream";

/**
 * Watches the writes of one connection. Calls `onStall` with the connection if writes are pending and none of them completes
 * within `milliseconds`. A gateway may hold a guard for each of thousands of idle clients, so a guard creates no closure.
 */
export class StallGuard<C> {
  readonly #milliseconds: number;
  readonly #connection: C;
  readonly #onStall: (connection: C) => void;
  #open = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  /** The stream while bytes wait in it that were written without the guard. */
  #earlier: Writable | undefined = undefined;
  /** The bytes that wait in `#earlier` if none have left. */
  #waiting = 0;

  constructor(milliseconds: number, connection: C, onStall: (connection: C) => void) {
    this.#milliseconds = milliseconds;
    this.#connection = connection;
    this.#onStall = onStall;
  }

  /** Bytes wait in `stream` that were written before the guard existed. It counts, too, when these leave. */
  follow(stream: Writable): void {
    this.#earlier = stream;
    this.#waiting = stream.writableLength;
  }

  /** A write has begun; its bytes need only be known after `follow`. */
  began(bytes = 0): void {
    this.#open += 1;
    this.#waiting += bytes;
    if (this.#timer === undefined) this.#timer = setTimeout(judge, this.#milliseconds, this);
    else if (this.#open === 1) this.#timer.refresh();
  }

  /** A write has left the process. */
  ended(): void {
    this.#open -= 1;
    this.#earlier = undefined;
    // Leaving the timer running costs less than one timer per write.
    if (this.#open > 0) this.#timer?.refresh();
  }

  /** Called by the timer when the latest write is overdue. */
  judge(): void {
    this.#timer = undefined;
    if (this.#open === 0) return;
    const earlier = this.#earlier;
    this.#earlier = undefined;
    const hasMoved = earlier !== undefined && earlier.writableLength < this.#waiting;
    if (hasMoved) this.#timer = setTimeout(judge, this.#milliseconds, this);
    else this.#onStall(this.#connection);
  }

  /** A write has failed, so the connection is of no more use. */
  failed(): void {
    this.#onStall(this.#connection);
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
