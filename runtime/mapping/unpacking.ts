// What every way to unpack has in common: a bound, and failures in words.

import { MappingError } from "../errors.ts";

/** Bytes that the methods of the language unpack at most: a few bytes can claim to be terabytes. */
export const unpackedLimit = 64 * 1024 * 1024;

/** What is said of contents that go beyond a bound. */
export function tooLarge(limit: number): MappingError {
  return new MappingError(`the content is larger than the limit of ${limit} bytes`);
}

/** The result of a library; what it says of broken data is a failure on the message. */
export function guarded<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof MappingError || !(error instanceof Error)) throw error;
    throw new MappingError(`${name}: ${error.message}`);
  }
}
