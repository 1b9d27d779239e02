// What literal arguments of a call must be for the call ever to work. In come arguments that are all known,
// out comes why they never will, in the reference's words; it builds such calls while it parses.

import { JSONPathEnvironment, JSONPathError } from "json-p3";
import type { ArgumentRule } from "../../../builtins/builtin.ts";
import { whyNotRe2 } from "../../regexp.ts";
import { findSchemaFault } from "../../schema-texts.ts";
import type { KnownArguments } from "../constant.ts";
import {
  checkDecimalScale,
  checkLength,
  checkPairs,
  checkRange,
  checkSlice,
  wholeArgument,
} from "./numbers.ts";
import {
  checkCompression,
  checkDecoding,
  checkDecompression,
  checkDecryption,
  checkEncoding,
  checkEncryption,
  checkHash,
  checkPublicKey,
} from "./schemes.ts";

/** Why a call with these arguments never works; `undefined` where it can. */
type CheckArguments = (args: KnownArguments) => string | undefined;

/** The check of each rule that builtins name. */
export const argumentChecks: { readonly [R in ArgumentRule]: CheckArguments } = {
  compression: checkCompression,
  decimalScale: checkDecimalScale,
  decoding: checkDecoding,
  decompression: checkDecompression,
  decryption: checkDecryption,
  encoding: checkEncoding,
  encryption: checkEncryption,
  hash: checkHash,
  jsonPath: checkJsonPath,
  jsonSchema: checkJsonSchema,
  length: checkLength,
  nanoid: checkNanoid,
  pairs: checkPairs,
  pattern: ([pattern]) => (typeof pattern === "string" ? whyNotRe2(pattern) : undefined),
  publicKey: checkPublicKey,
  randomRange: checkRandomRange,
  range: checkRange,
  slice: checkSlice,
  snowflake: checkSnowflake,
  ulid: checkUlid,
};

/** `.json_path(expression)`: the same library as at run time says so. */
function checkJsonPath([expression]: KnownArguments): string | undefined {
  if (typeof expression !== "string") return undefined;
  const environment = new JSONPathEnvironment({ strict: false });
  environment.functionRegister.delete("match");
  environment.functionRegister.delete("search");
  try {
    environment.compile(expression);
    return undefined;
  } catch (error) {
    if (error instanceof JSONPathError) return `parsing error: ${expression}: ${error.message}`;
    throw error;
  }
}

/** `.json_schema(schema)`: whether it is a schema that refers to nothing but itself. */
function checkJsonSchema([schema]: KnownArguments): string | undefined {
  const reason = typeof schema === "string" ? findSchemaFault(schema) : undefined;
  return reason && `failed to parse json schema definition: ${reason}`;
}

const maxInt64 = 9223372036854775807n;

/** `random_int(seed, min, max)` */
function checkRandomRange([, from, to]: KnownArguments): string | undefined {
  const [min, max] = [wholeArgument(from), wholeArgument(to)];
  if (min === undefined || max === undefined) return undefined;
  if (min < 0n) return `min (${min}) must be a positive number`;
  if (max < min) return `min (${min}) must be smaller or equal than max (${max})`;
  return max === maxInt64 ? `max must be smaller than the max allowed for an int64 (${maxInt64})` : undefined;
}

/** `nanoid(length, alphabet)` */
function checkNanoid([length, alphabet]: KnownArguments): string | undefined {
  if (alphabet === undefined || length !== undefined) return undefined;
  return "field length must be specified when an alphabet is specified";
}

/** `snowflake_id(node_id)` */
function checkSnowflake([node]: KnownArguments): string | undefined {
  const value = wholeArgument(node);
  if (value === undefined || (value >= 0n && value <= 1023n)) return undefined;
  return "Node number must be between 0 and 1023";
}

/** `ulid(encoding, random_source)` */
function checkUlid([encoding, source]: KnownArguments): string | undefined {
  if (typeof encoding === "string" && encoding !== "crockford" && encoding !== "hex")
    return `invalid ulid encoding: ${encoding}`;
  if (typeof source === "string" && source !== "secure_random" && source !== "fast_random")
    return `invalid randomness source: ${source}`;
  return undefined;
}
