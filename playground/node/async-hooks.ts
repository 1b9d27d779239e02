// The part of `node:async_hooks` that the project uses.

/**
 * A value for what a function does. Browsers do not track asynchronous work, so other work that runs before a promise of
 * the function settles has the value as well.
 */
export class AsyncLocalStorage<T> {
  #value: T | undefined;

  getStore(): T | undefined {
    return this.#value;
  }

  run<R>(value: T, work: () => R): R {
    const former = this.#value;
    const restore = () => {
      this.#value = former;
    };
    this.#value = value;
    let result: R | undefined;
    try {
      result = work();
      return result instanceof Promise ? (result.finally(restore) as R) : result;
    } finally {
      if (!(result instanceof Promise)) restore();
    }
  }
}
