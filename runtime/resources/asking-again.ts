// Questions to a server that is away for a while.

import { createBackoff, pause } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";

/** Pauses between attempts, and how long they go on, in milliseconds. */
export interface AskingPauses {
  readonly initial_interval: number;
  readonly max_interval: number;
  /** 0 makes one attempt. */
  readonly max_elapsed_time: number;
}

/** One question. */
export interface Question<T> {
  readonly ask: () => Promise<T>;
  /** Whether it would be sent at once. */
  readonly isReady: () => boolean;
  /** Whether it may be asked again once it may have been sent; true unless it says otherwise. */
  readonly mayRepeat?: boolean;
}

/**
 * Asks a question until it is answered, `closing` is aborted, or its time is over; rejects with the last failure then. A
 * failure that no attempt can change ends it at once.
 */
export async function askAgain<T>(
  { ask, isReady, mayRepeat = true }: Question<T>,
  { initial_interval, max_interval, max_elapsed_time }: AskingPauses,
  closing: AbortSignal,
): Promise<T> {
  const started = performance.now();
  const backoff = createBackoff({ first: initial_interval, longest: max_interval });
  for (;;) {
    const wasSent = isReady();
    try {
      return await ask();
    } catch (error) {
      const wait = backoff.next();
      const isOver = performance.now() - started + wait > max_elapsed_time;
      const isFinal = error instanceof GatewayError && error.retryable === false;
      if (isFinal || isOver || closing.aborted || (wasSent && !mayRepeat)) throw error;
      await pause(wait, closing);
    }
  }
}
