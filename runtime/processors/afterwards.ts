// Steps that are synchronous as long as what they wait for is.

/** What `next` makes of a value that may still be on its way; at once where the value is there. */
export function afterwards<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
