// The attempts to start a stream: how long it waits after each that failed, and what is logged of it.

import { attemptLevel, type Backoff } from "../concurrency/backoff.ts";
import { placeOf } from "../failures/place.ts";
import { networkFault } from "../failures/unreachable.ts";
import type { Logger } from "../process/log.ts";
import type { StatusTracker } from "./stream-state.ts";

/** Counts failed attempts, which become less frequent until one succeeds. */
export class StartAttempts {
  readonly #log: Logger;
  readonly #status: StatusTracker;
  readonly #backoff: Backoff;
  /** The text of the last failure. */
  #last: string | undefined;

  constructor(log: Logger, status: StatusTracker, backoff: Backoff) {
    this.#log = log;
    this.#status = status;
    this.#backoff = backoff;
  }

  /** Records an attempt that succeeded. */
  succeeded(): void {
    this.#backoff.reset();
  }

  /**
   * Records an attempt that failed. Returns the milliseconds until the next. Logs one line per reason; repeated failures
   * are counted. Network errors are logged without a stack, and so are repeated ones.
   */
  failed(error: unknown): number {
    const wait = this.#backoff.next();
    const failure = this.#status.fail(error, wait);
    const retry = this.#status.failedStarts;
    const text = textWithCause(error);
    const isRepeated = text === this.#last;
    this.#last = text;
    const next = `retry ${retry} in ${Math.max(1, Math.round(wait / 1000))} s`;
    this.#log[attemptLevel(retry, isRepeated)](`stream failed to start: ${failure.reason}, ${next}`, {
      ...failure,
      retry,
      ...(error instanceof Error && placeOf(error)),
      ...(networkFault(error) === undefined && !isRepeated && { error }),
    });
    return wait;
  }
}

/** Returns the text by which failures are compared. */
function textWithCause(error: unknown): string {
  return error instanceof Error ? `${error.message} ${error.cause}` : String(error);
}
