// What literal arguments of a call must be for the call ever to work. In come arguments that are all known,
// out comes why they never will, in the reference's words; it builds such calls while it parses.

import type { ArgumentRule } from "../../../builtins/builtin.ts";
import { whyNotRe2 } from "../../regexp.ts";
import type { KnownArguments } from "../constant.ts";
import { checkJsonPath, checkJsonSchema } from "./documents.ts";
import { checkNanoid, checkRandomRange, checkSnowflake, checkUlid } from "./identifiers.ts";
import { checkDecimalScale, checkLength, checkPairs, checkRange, checkSlice } from "./numbers.ts";
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
export type CheckArguments = (args: KnownArguments) => string | undefined;

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
