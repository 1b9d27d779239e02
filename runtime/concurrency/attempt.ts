// Work that may fail before it has a promise.

/** As `Promise.try`, without a promise of its own around that of `work`: what `work` throws is a rejection. */
export function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}
