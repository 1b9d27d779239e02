// Growing pauses between attempts, and pauses that can be cut short.

import { setTimeout as sleep } from "node:timers/promises";

/** Bounds of the pauses, in milliseconds. */
export interface BackoffOptions {
  readonly first: number;
  readonly longest: number;
}

/** The pauses of one thing that is tried again and again. */
export interface Backoff {
  /** Milliseconds to wait before the next attempt. */
  next(): number;
  /** Starts over after a success. */
  reset(): void;
}

/** Pauses that double, each between half and the whole of its step so that many clients spread out. */
export function createBackoff({ first, longest }: BackoffOptions): Backoff {
  let step = first;
  return {
    next() {
      const pause = step * (0.5 + Math.random() / 2);
      step = Math.min(step * 2, longest);
      return pause;
    },
    reset() {
      step = first;
    },
  };
}

/** Resolves after `milliseconds`, or at once when `signal` is aborted; never rejects. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
