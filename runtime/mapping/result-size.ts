// How large a result may be where an argument says how large it is: a message of a few bytes can name any number.

import { MappingError } from "../errors.ts";
import { unpackedLimit } from "./unpacking.ts";

/** Bytes of a binary, or characters of a text, as many as the methods of the language unpack. */
export const mostBytes = unpackedLimit;

/** Elements of an array, and values that few bytes may stand for. */
export const mostElements = 1_500_000;

/** Throws a `MappingError` where `name` would make a result of a size above its limit. */
export function refuseLarger(name: string, size: number, limit: number): void {
  if (size > limit) throw new MappingError(`result of ${name} would be too large`);
}
