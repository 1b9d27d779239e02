// Helpers for promises that may never settle, and for functions that may throw before they return one.

/** Resolves with whether `promise` settled within `milliseconds`. Never rejects; leaves no timer behind. */
export async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** As `Promise.try`, but returns the promise of `work` itself: an error that `work` throws becomes a rejection. */
export function attempt<T, A extends readonly unknown[]>(
  work: (...args: A) => Promise<T>,
  ...args: A
): Promise<T> {
  try {
    return work(...args);
  } catch (error) {
    return Promise.reject(error);
  }
}
