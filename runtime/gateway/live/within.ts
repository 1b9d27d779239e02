// Work with a time limit.

import { abort } from "../../concurrency/abort.ts";
import { GatewayError } from "../../errors.ts";

/** The time limits of a change, and the signal that ends it early. */
export interface Bounds {
  /** Milliseconds within which a part of a stream must start. */
  readonly startTimeout: number;
  /** Milliseconds for messages in flight in a part that is replaced. */
  readonly stopTimeout: number;
  /** Aborted when the gateway closes. */
  readonly closing: AbortSignal;
}

/**
 * Resolves with the result of `work`. Rejects after `milliseconds`, or when the gateway closes; the signal passed to
 * `work` is then aborted, and `work` must leave nothing behind.
 */
export async function within<T>(
  milliseconds: number,
  what: string,
  { closing }: Bounds,
  work: (end: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const late = Promise.withResolvers<never>();
  const giveUp = (reason: string) => {
    late.reject(new GatewayError(503, reason));
    abort(end);
  };
  const timer = setTimeout(giveUp, milliseconds, `${what} within ${milliseconds / 1000} s`);
  const onClose = () => giveUp("The gateway is closing");
  if (closing.aborted) onClose();
  else closing.addEventListener("abort", onClose, { once: true });
  const working = work(end.signal);
  // The outcome is ignored after the deadline.
  working.catch(() => undefined);
  try {
    return await Promise.race([late.promise, working]);
  } finally {
    clearTimeout(timer);
    closing.removeEventListener("abort", onClose);
  }
}
