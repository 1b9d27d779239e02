// Exponential backoff with jitter, and pauses that a signal can cut short.

import { setTimeout as sleep } from "node:timers/promises";

/** Bounds of the delays, in milliseconds. */
export interface BackoffOptions {
  readonly first: number;
  readonly longest: number;
}

/** The delays between attempts at one thing. */
export interface Backoff {
  /** Milliseconds to wait before the next attempt. */
  next(): number;
  /** Starts over after a success. */
  reset(): void;
}

/** Counts the failures of one thing; each delay is that of `backoffDelay`. */
export function createBackoff(options: BackoffOptions): Backoff {
  let failures = 0;
  return {
    next() {
      const delay = backoffDelay(failures, options);
      failures += 1;
      return delay;
    },
    reset() {
      failures = 0;
    },
  };
}

/**
 * How an attempt that failed is logged: the first one for a reason, and attempts 10, 100, … that fail as the one before did, are
 * news; others are for those who look for them.
 */
export function attemptLevel(attempt: number, isRepeated: boolean): "warn" | "debug" {
  return isRepeated && !Number.isInteger(Math.log10(attempt)) ? "debug" : "warn";
}

/**
 * Milliseconds to wait after an attempt that follows `failures` others: between half and the whole of `backoffStep`, so
 * that many clients do not retry at the same moment.
 */
export function backoffDelay(failures: number, options: BackoffOptions): number {
  return backoffStep(failures, options) * (0.5 + Math.random() / 2);
}

/** The delay without jitter, for retries of one caller that are to keep their order; it doubles from failure to failure. */
export function backoffStep(failures: number, { first, longest }: BackoffOptions): number {
  return Math.min(first * 2 ** Math.min(failures, 40), longest);
}

/** Resolves after `milliseconds`, or at once when `signal` is aborted; never rejects. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
