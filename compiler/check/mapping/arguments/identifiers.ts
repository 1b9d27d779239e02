// Arguments of functions that make identifiers and random numbers. In come known arguments, out comes why
// they never work.

import type { KnownArguments } from "../constant.ts";
import { wholeArgument } from "./numbers.ts";

const maxInt64 = 9223372036854775807n;

/** `random_int(seed, min, max)` */
export function checkRandomRange([, from, to]: KnownArguments): string | undefined {
  const [min, max] = [wholeArgument(from), wholeArgument(to)];
  if (min === undefined || max === undefined) return undefined;
  if (min < 0n) return `min (${min}) must be a positive number`;
  if (max < min) return `min (${min}) must be smaller or equal than max (${max})`;
  return max === maxInt64 ? `max must be smaller than the max allowed for an int64 (${maxInt64})` : undefined;
}

/** `nanoid(length, alphabet)` */
export function checkNanoid([length, alphabet]: KnownArguments): string | undefined {
  if (alphabet === undefined || length !== undefined) return undefined;
  return "field length must be specified when an alphabet is specified";
}

/** `snowflake_id(node_id)` */
export function checkSnowflake([node]: KnownArguments): string | undefined {
  const value = wholeArgument(node);
  if (value === undefined || (value >= 0n && value <= 1023n)) return undefined;
  return "Node number must be between 0 and 1023";
}

/** `ulid(encoding, random_source)` */
export function checkUlid([encoding, source]: KnownArguments): string | undefined {
  if (typeof encoding === "string" && encoding !== "crockford" && encoding !== "hex")
    return `invalid ulid encoding: ${encoding}`;
  if (typeof source === "string" && source !== "secure_random" && source !== "fast_random")
    return `invalid randomness source: ${source}`;
  return undefined;
}
