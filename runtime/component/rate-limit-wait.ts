// Waiting for a rate limit to let something through.

import { pause } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import type { RateLimit } from "./resource.ts";

/** Milliseconds until a limit that could not be asked is asked again. */
const retryPause = 1_000;

/** Who waits. */
export interface Waiter {
  readonly log: Logger;
  /** Ends the waiting, which then rejects. */
  readonly signal: AbortSignal;
  /** Told once that there is something to wait for. */
  readonly onHeld?: (() => void) | undefined;
}

/**
 * Resolves once `limit` lets something of `bytes` through. A limit that cannot be asked lets nothing through:
 * it is asked again until it answers. Rejects with a `GatewayError` when the signal is aborted before.
 */
export async function waitForLimit(limit: RateLimit, bytes: number, waiter: Waiter): Promise<void> {
  const { log, signal } = waiter;
  let isFailing = false;
  let isHeld = false;
  while (!signal.aborted) {
    let wait = retryPause;
    try {
      wait = await limit.take(bytes);
      if (isFailing) log.info("rate limit available again");
      isFailing = false;
      if (wait <= 0) return;
    } catch (error) {
      if (!isFailing) log.warn("rate limit unavailable, retrying", { error });
      isFailing = true;
    }
    if (!isHeld) waiter.onHeld?.();
    isHeld = true;
    await pause(wait, signal);
  }
  throw new GatewayError(503, "The stream stopped before the rate limit let the message through");
}
