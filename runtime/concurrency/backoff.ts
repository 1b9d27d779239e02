// Exponential backoff with jitter, and pauses that a signal can end early.

import { setTimeout as sleep } from "node:timers/promises";

/** The bounds of the delays, in milliseconds. */
export interface BackoffOptions {
  readonly first: number;
  readonly longest: number;
}

/** The delays between repeated attempts. */
export interface Backoff {
  /** Returns the milliseconds to wait before the next attempt. */
  next(): number;
  /** Starts over after a success. */
  reset(): void;
}

/** Returns a backoff that counts failures; each delay is that of `backoffDelay`. */
export function createBackoff(options: BackoffOptions): Backoff {
  return new CountedBackoff(options);
}

class CountedBackoff implements Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  next(): number {
    const delay = backoffDelay(this.#failures, this.#options);
    this.#failures += 1;
    return delay;
  }

  reset(): void {
    this.#failures = 0;
  }
}

/**
 * Returns the log level of a failed attempt: `warn` for the first attempt with a reason and for the attempts 10, 100,
 * … with the same reason, otherwise `debug`.
 */
export function attemptLevel(attempt: number, isRepeated: boolean): "warn" | "debug" {
  return isRepeated && !Number.isInteger(Math.log10(attempt)) ? "debug" : "warn";
}

/**
 * Returns the milliseconds to wait after an attempt that follows `failures` others: between half and all of
 * `backoffStep`, so that many clients do not retry at the same moment.
 */
export function backoffDelay(failures: number, options: BackoffOptions): number {
  return backoffStep(failures, options) * (0.5 + Math.random() / 2);
}

/**
 * Returns the delay without jitter, for retries of one caller that must keep their order; it doubles with each
 * failure.
 */
export function backoffStep(failures: number, { first, longest }: BackoffOptions): number {
  return Math.min(first * 2 ** Math.min(failures, 40), longest);
}

/** Resolves after `milliseconds`, or immediately when `signal` is aborted; never rejects. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
