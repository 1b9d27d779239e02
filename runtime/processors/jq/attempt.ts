// Failures that a query catches: its own, not those of what it hands its values on to.

import { JqError } from "./values.ts";

/** A failure after a value was handed on, which is none of the body's. */
class Later {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Runs `body`, and `handle` where it fails itself, not what it hands its values on to. */
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
