// Catches failures of a query, but not failures of the code that receives its values.

import { JqError } from "./values.ts";

/** A failure of the code that received a value. It is not a failure of the body. */
class Later {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Runs `body`, and calls `handle` if it fails itself. Failures of the code that receives its values are rethrown. */
export function attempting(
  body: (handOn: (next: () => void) => void) => void,
  handle: (error: JqError) => void,
): void {
  let failed: JqError;
  const later: Later[] = [];
  try {
    body((next) => {
      try {
        next();
      } catch (error) {
        const wrapped = new Later(error);
        later.push(wrapped);
        throw wrapped;
      }
    });
    return;
  } catch (error) {
    if (error instanceof Later && later.includes(error)) throw error.error;
    if (!(error instanceof JqError)) throw error;
    failed = error;
  }
  handle(failed);
}
