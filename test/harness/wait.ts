import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import * as assert from "uvu/assert";

/** Milliseconds after which a wait fails. It only bounds broken tests, so a loaded machine must not reach it. */
export const patience = 60_000;

/** The limit of a wait, and its name in a failure. */
export interface UntilOptions {
  /** Milliseconds after which the wait fails. It only bounds broken tests. */
  readonly timeout?: number;
  /** What the test waits for, for the text of the failure: "three orders in the topic". */
  readonly what?: string;
}

/**
 * Resolves with the condition's first value that is not false, null or undefined. A condition that throws is evaluated
 * again; its last error is the cause of the failure. So is one that does not settle in time.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeout = patience, what = "the condition" }: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeout;
  let cause: unknown;
  for (let interval = 5; ; interval = Math.min(interval * 1.5, 100)) {
    try {
      const value = await inTime(condition(), deadline);
      if (isMet(value)) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`${what} did not come true in ${timeout} ms`, { cause });
    await pause(interval);
  }
}

/** Resolves like `value`, which may be a promise that never settles. */
function inTime<T>(value: T | Promise<T>, deadline: number): T | Promise<T> {
  if (!(value instanceof Promise)) return value;
  return within(value, { timeout: Math.max(1, deadline - Date.now()), what: "an answer to the condition" });
}

function isMet<T>(value: T): value is Exclude<T, false | null | undefined> {
  return value !== false && value !== null && value !== undefined;
}

/** Resolves like `promise`; rejects with an error that names `what` after `timeout` milliseconds. */
export async function within<T>(
  promise: Promise<T>,
  { timeout = patience, what = "it" }: UntilOptions = {},
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

/**
 * Waits until `read` returns what is expected: a value that is deeply equal, or a text that the pattern matches. For
 * pages and other things that change after an action. Fails with the difference to the last value.
 */
export async function eventually(
  read: () => unknown,
  expected: unknown,
  options: UntilOptions = {},
): Promise<void> {
  const isRight = (value: unknown) =>
    expected instanceof RegExp ? expected.test(String(value)) : isDeepStrictEqual(value, expected);
  try {
    await until(async () => isRight(await read()), options);
  } catch (error) {
    const value = await read();
    if (expected instanceof RegExp) assert.match(String(value), expected);
    else assert.equal(value, expected);
    throw error; // it became right after the wait
  }
}
