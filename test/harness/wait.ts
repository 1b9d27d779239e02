import { setTimeout as pause } from "node:timers/promises";

/** How a wait is bounded and named in its failure. */
export interface UntilOptions {
  /** Milliseconds after which the wait fails; it bounds a broken test and decides no other. */
  readonly timeout?: number;
  /** What is awaited, for the failure's text: "three orders in the topic". */
  readonly what?: string;
}

/**
 * Resolves with the condition's first value that is neither false, null nor undefined. A condition that
 * throws has not been met yet; its last error is the cause of the failure.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeout = 15_000, what = "the condition" }: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeout;
  let cause: unknown;
  for (let interval = 5; ; interval = Math.min(interval * 1.5, 100)) {
    try {
      const value = await condition();
      if (isMet(value)) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`${what} did not come true in ${timeout} ms`, { cause });
    await pause(interval);
  }
}

function isMet<T>(value: T): value is Exclude<T, false | null | undefined> {
  return value !== false && value !== null && value !== undefined;
}

/** The promise's value, or a failure naming `what` once `timeout` milliseconds are over. */
export async function within<T>(
  promise: Promise<T>,
  { timeout = 15_000, what = "it" }: UntilOptions = {},
): Promise<T> {
  const stop = new AbortController();
  const late = pause(timeout, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${what} did not happen in ${timeout} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    // The timer would keep the process alive; its abort rejects `late`, which nobody awaits any more.
    late.catch(() => undefined);
    stop.abort();
  }
}
