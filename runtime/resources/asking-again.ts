// Repeats requests to a server that is temporarily unavailable.

import { createBackoff, pause } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";

/** The pauses between attempts and the total time, in milliseconds. */
export interface AskingPauses {
  readonly initial_interval: number;
  readonly max_interval: number;
  /** 0 makes only one attempt. */
  readonly max_elapsed_time: number;
}

/** One request. */
export interface Question<T> {
  readonly ask: () => Promise<T>;
  /** Whether it would be sent immediately. */
  readonly isReady: () => boolean;
  /** Whether it may be repeated after it may have been sent; true by default. */
  readonly mayRepeat?: boolean;
}

/**
 * Repeats a request until it is answered; rejects with the last failure when `closing` is aborted or the time is
 * over. A failure that no further attempt can change ends it immediately.
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
