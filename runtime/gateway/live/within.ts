// Work that has a time to succeed in.

import { GatewayError } from "../../errors.ts";

/** How long a change may take, and what ends it early. */
export interface Bounds {
  /** Milliseconds that a part of a stream has to start in. */
  readonly startTimeout: number;
  /** Milliseconds for what is in flight in a part that is replaced. */
  readonly stopTimeout: number;
  /** Aborted when the gateway closes. */
  readonly closing: AbortSignal;
}

/**
 * Gives what `work` resolves with. Rejects after `milliseconds`, or when the gateway closes: the signal that `work` was
 * given is aborted then, by which it is to leave nothing behind.
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
    end.abort();
  };
  const timer = setTimeout(giveUp, milliseconds, `${what} within ${milliseconds / 1000} s`);
  const onClose = () => giveUp("The gateway is closing");
  if (closing.aborted) onClose();
  else closing.addEventListener("abort", onClose, { once: true });
  const working = work(end.signal);
  // After the deadline its outcome is ignored.
  working.catch(() => undefined);
  try {
    return await Promise.race([late.promise, working]);
  } finally {
    clearTimeout(timer);
    closing.removeEventListener("abort", onClose);
  }
}
