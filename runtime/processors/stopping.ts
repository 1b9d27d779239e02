// Processors that take their time give their batch back when the stream stops.

import { pause } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";

/** What timers of the platform can count to. */
const longestTimer = 2 ** 31 - 1;

/** Waits; rejects, at once, when the stream is stopped, so that the batch is refused to its input. */
export async function waitUnlessStopped(milliseconds: number, signal: AbortSignal): Promise<void> {
  for (let left = milliseconds; left > 0; left -= longestTimer) {
    await pause(Math.min(left, longestTimer), signal);
    throwIfStopped(signal);
  }
}

/** Throws what a batch that was not processed is refused with, when the stream is stopped. */
export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
}
