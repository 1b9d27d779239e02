// Promises that may never settle, and work that may fail before it has one.

/** Whether `promise` settled within `milliseconds`. Never rejects; leaves no timer behind. */
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

/** As `Promise.try`, without a promise of its own around that of `work`: what `work` throws is a rejection. */
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
