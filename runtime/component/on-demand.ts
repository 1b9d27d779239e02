// Connections of components that have no start of their own, such as processors.

/** Something that is opened when it is first needed. */
export interface OnDemand<A, T> {
  /** What is open; opens it where it is not. After an attempt that failed, the next call tries again. */
  open(given: A): Promise<T>;
  /** Ends what is open, also where it is only being opened. */
  close(): Promise<void>;
}

/** Nothing is opened before `open` of the result is called. */
export function openOnDemand<A, T>(
  open: (given: A) => Promise<T>,
  close: (opened: T) => Promise<void>,
): OnDemand<A, T> {
  let opened: Promise<T> | undefined;
  return {
    open(given) {
      opened ??= open(given).catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    async close() {
      const present = await opened?.catch(() => undefined); // what never opened has nothing to end
      if (present !== undefined) await close(present);
    },
  };
}
