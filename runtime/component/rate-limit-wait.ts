// Waits until a rate limit lets a message through.

import { pause } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import type { RateLimit } from "./resource.ts";

/** Milliseconds before a limit that could not be reached is tried again. */
const retryPause = 1_000;

/** The caller that waits. */
export interface Waiter {
  readonly log: Logger;
  /** Ends the wait, which then rejects. */
  readonly signal: AbortSignal;
  /** Called once, if the caller has to wait. */
  readonly onHeld?: (() => void) | undefined;
}

/**
 * Resolves when `limit` lets `bytes` bytes through. A limit that cannot be reached lets nothing through: it is tried
 * again until it responds. Rejects with a `GatewayError` if the signal is aborted first.
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
  throw new GatewayError(503, "The stream stopped before the rate limit allowed the message");
}
