// How large results may be: a message of a few bytes can claim terabytes, or name any number of elements.

import { MappingError } from "../errors.ts";

/** Bytes of a binary, or characters of a text. */
export const mostBytes = 64 * 1024 * 1024;

/** Elements of an array, and values that few bytes may stand for. */
export const mostElements = 1_500_000;

/** Throws a `MappingError` where `name` would make a result of a size above its limit. */
export function refuseLarger(name: string, size: number, limit: number): void {
  if (size > limit) throw new MappingError(`result of ${name} would be too large`);
}

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
