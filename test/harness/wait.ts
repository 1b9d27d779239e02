import { setTimeout as pause } from "node:timers/promises";

/** The limit of a wait, and its name in a failure. */
export interface UntilOptions {
  /** Milliseconds after which the wait fails. It only bounds broken tests. */
  readonly timeout?: number;
  /** What the test waits for, for the text of the failure: "three orders in the topic". */
  readonly what?: string;
}

/**
 * Resolves with the condition's first value that is not false, null or undefined. A condition that throws is evaluated
 * again; its last error is the cause of the failure.
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

/** Resolves like `promise`; rejects with an error that names `what` after `timeout` milliseconds. */
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
    // The timer would keep the process alive. Aborting it rejects `late`, which nothing awaits any longer.
    late.catch(() => undefined);
    stop.abort();
  }
}
