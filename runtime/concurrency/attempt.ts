// Work that may fail before it has a promise.

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
