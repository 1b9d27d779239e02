// The only error phases throw. User mistakes are diagnostics; this is for mistakes of ours.

/** The compiler is broken, not the input. */
export class InternalError extends Error {
  override readonly name = "InternalError";
}

/** Stops with an `InternalError` unless `condition` holds. Failing here is always our bug. */
export function invariant(condition: unknown, claim: string): asserts condition {
  if (!condition) throw new InternalError(`${claim} (compiler bug, please report)`);
}

/** Ends a `switch` over a closed union; a forgotten kind does not compile. */
export function unreachable(value: never): never {
  throw new InternalError(`unexpected ${JSON.stringify(value)} (compiler bug, please report)`);
}
