// Lets slow processors refuse their batch when the stream stops.

import { pause } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";

/** The longest delay of a timer in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Waits. Rejects immediately when the stream stops, so that the batch is refused and returns to its input. */
export async function waitUnlessStopped(milliseconds: number, signal: AbortSignal): Promise<void> {
  for (let left = milliseconds; left > 0; left -= longestTimer) {
    await pause(Math.min(left, longestTimer), signal);
    throwIfStopped(signal);
  }
}

/** If the stream is stopped, throws the error with which an unprocessed batch is refused. */
export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
}
