// Limits the size of results: a message of a few bytes can claim terabytes, or any number of elements.

import { MappingError } from "../errors.ts";

/** The maximum number of bytes of a binary, or of characters of a text. */
export const mostBytes = 64 * 1024 * 1024;

/** The maximum number of elements of an array, and of values decoded from few bytes. */
export const mostElements = 1_500_000;

/** Throws a `MappingError` if the result of `name` would exceed its limit. */
export function refuseLarger(name: string, size: number, limit: number): void {
  if (size > limit) throw new MappingError(`result of ${name} would be too large`);
}

/** Returns the error for content that exceeds a limit. */
export function tooLarge(limit: number): MappingError {
  return new MappingError(`the content is larger than the limit of ${limit} bytes`);
}

/** Returns the result of a library. Turns its errors about broken data into failures of the message. */
export function guarded<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof MappingError || !(error instanceof Error)) throw error;
    throw new MappingError(`${name}: ${error.message}`);
  }
}
