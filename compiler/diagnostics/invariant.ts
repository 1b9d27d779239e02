// The only error that phases throw. Diagnostics report mistakes of users; this error reports bugs of the compiler.

/** A bug in the compiler, as opposed to a mistake in its input. */
export class InternalError extends Error {
  override readonly name = "InternalError";
}

/** Throws an `InternalError` if `condition` is false. A failure is always a bug in the compiler. */
export function invariant(condition: unknown, claim: string): asserts condition {
  if (!condition) throw new InternalError(`${claim} (compiler bug, please report)`);
}

/** Ends a `switch` over a closed union: a missing case does not compile. */
export function unreachable(value: never): never {
  throw new InternalError(`unexpected ${JSON.stringify(value)} (compiler bug, please report)`);
}
