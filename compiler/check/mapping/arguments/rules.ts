// Checks literal arguments of calls, including the names of encodings and hashes. Each check receives arguments that
// are all known and returns why the call never works, in the words of the reference engine, which creates such calls
// while it parses.

import { JSONPathEnvironment, JSONPathError } from "json-p3";
import type { ArgumentRule } from "../../../builtins/builtin.ts";
import { whyNotRegexp } from "../../regexp.ts";
import { findSchemaFault } from "../../schema-texts.ts";
import {
  type ConstantValue,
  constantType,
  isNumeric,
  type KnownArguments,
  printFloat,
  shownValue,
} from "../constant.ts";

const encodings: ReadonlySet<string> = new Set([
  "base64",
  "base64url",
  "base64rawurl",
  "hex",
  "ascii85",
  "z85",
]);

const compressions: ReadonlySet<string> = new Set([
  "flate",
  "gzip",
  "lz4",
  "pgzip",
  "snappy",
  "zlib",
  "zstd",
]);

const keyedHashes: ReadonlySet<string> = new Set(
  ["sha1", "sha256", "sha512"].flatMap((digest) => [`hmac_${digest}`, `hmac-${digest}`]),
);

/** Algorithms of `hash` that ignore its key. */
export const plainHashes: ReadonlySet<string> = new Set([
  "crc32",
  "fnv32",
  "md5",
  "sha1",
  "sha256",
  "sha512",
  "sha3_256",
  "sha3_512",
  "xxhash64",
]);

/** `.parse_jwt_rs256(signing_secret)` and similar methods: the public key of the signature must be PEM. */
function checkPublicKey([secret]: KnownArguments): string | undefined {
  return typeof secret === "string" && !secret.includes("-----BEGIN ")
    ? "invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key"
    : undefined;
}

/** `.sign_jwt_rs256(signing_secret)` and similar methods. */
function checkPrivateKey(args: KnownArguments): string | undefined {
  const failure = checkPublicKey(args);
  return failure && `failed to decode signing_secret: ${failure}`;
}

/** `.encode(scheme)` */
function checkEncoding([scheme]: KnownArguments): string | undefined {
  return typeof scheme === "string" && !encodings.has(scheme)
    ? `unrecognized encoding type: ${scheme}`
    : undefined;
}

/** `.decode(scheme)` */
const checkDecoding: typeof checkEncoding = checkEncoding;

/** `.hash(algorithm, key, polynomial)`; polynomials are checked at run time. */
function checkHash([algorithm, key]: KnownArguments): string | undefined {
  if (typeof algorithm !== "string" || plainHashes.has(algorithm)) return undefined;
  if (!keyedHashes.has(algorithm)) return `unrecognized hash type: ${algorithm}`;
  return key === undefined || key === "" ? `hash algorithm ${algorithm} requires a key argument` : undefined;
}

/** The names that the first argument of a builtin must be one of, by its rule. */
export const argumentNames: Partial<Record<ArgumentRule, ReadonlySet<string>>> = {
  compression: compressions,
  decoding: encodings,
  decompression: compressions,
  encoding: encodings,
  hash: plainHashes.union(keyedHashes),
};

/** `.compress(algorithm, level)` */
function checkCompression([algorithm]: KnownArguments): string | undefined {
  return typeof algorithm === "string" && !compressions.has(algorithm)
    ? `compression type not recognised: ${algorithm}`
    : undefined;
}

/** `.decompress(algorithm)` */
function checkDecompression([algorithm]: KnownArguments): string | undefined {
  return algorithm === "bzip2" ? undefined : checkCompression([algorithm]);
}

const aesModes: ReadonlySet<string> = new Set(["ctr", "gcm", "ofb", "cbc"]);

/** `.encrypt_aes(scheme, key, iv)` */
function checkEncryption([scheme, key, iv]: KnownArguments): string | undefined {
  return checkAesKey(key) ?? checkAesMode(scheme, "encryption") ?? checkAesVector(scheme, iv);
}

/** `.decrypt_aes(scheme, key, iv)` */
function checkDecryption([scheme, key, iv]: KnownArguments): string | undefined {
  return checkAesKey(key) ?? checkAesMode(scheme, "decryption") ?? checkAesVector(scheme, iv);
}

function checkAesMode(
  scheme: KnownArguments[number],
  direction: "encryption" | "decryption",
): string | undefined {
  const isKnown = typeof scheme !== "string" || aesModes.has(scheme);
  return isKnown ? undefined : `unrecognized ${direction} type: ${scheme}`;
}

function checkAesKey(key: KnownArguments[number]): string | undefined {
  if (typeof key !== "string") return undefined;
  const size = Buffer.byteLength(key);
  return [16, 24, 32].includes(size) ? undefined : `crypto/aes: invalid key size ${size}`;
}

function checkAesVector(scheme: KnownArguments[number], iv: KnownArguments[number]): string | undefined {
  if (typeof iv !== "string") return undefined;
  const size = scheme === "gcm" ? 12 : 16;
  return Buffer.byteLength(iv) === size ? undefined : "the key must match the initialisation vector size";
}

/** Returns why a call with these arguments never works; `undefined` if it can work. */
type CheckArguments = (args: KnownArguments) => string | undefined;

/** The check of each rule that builtins name. */
export const argumentChecks: {
  readonly [R in Exclude<ArgumentRule, "evaluated" | "mapping">]: CheckArguments;
} = {
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
  preserved: checkPreserved,
  privateKey: checkPrivateKey,
  pattern: ([pattern]) => (typeof pattern === "string" ? whyNotRegexp(pattern) : undefined),
  publicKey: checkPublicKey,
  randomRange: checkRandomRange,
  range: checkRange,
  slice: checkSlice,
  snowflake: checkSnowflake,
  ulid: checkUlid,
};

/** A path without `$`, in the form that runtime/mapping/json-path.ts reads: `a.b[0]["c"]`. */
const bareNames =
  /^\s*[\p{L}_][\p{L}\p{N}_]*(?:\s*\.\s*[\p{L}_][\p{L}\p{N}_]*|\s*\[\s*(?:\d+|"[^"\\]*"|'[^'\\]*')\s*\])*\s*$/u;

/** `.json_path(expression)`: checked by the same library as at run time. */
function checkJsonPath([expression]: KnownArguments): string | undefined {
  if (typeof expression !== "string" || bareNames.test(expression)) return undefined;
  const environment = new JSONPathEnvironment({ strict: false });
  environment.functionRegister.delete("match");
  environment.functionRegister.delete("search");
  try {
    environment.compile(expression);
    return undefined;
  } catch (error) {
    if (error instanceof JSONPathError) {
      return `failed to evaluate json path expression: parsing error: ${expression}: ${error.message}`;
    }
    throw error;
  }
}

/** `.json_schema(schema)`: whether it is a schema without references to other documents. */
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

/** `range(start, stop, step)` */
function checkRange([from, to, by]: KnownArguments): string | undefined {
  const [start, stop, step] = [wholeArgument(from), wholeArgument(to), wholeArgument(by)];
  if (start === undefined || stop === undefined || step === undefined) return undefined;
  if (step === 0n) return "step must be greater than or less than 0";
  if (step < 0n && stop > start) return `with negative step arg stop (${stop}) must be <= start (${start})`;
  if (step > 0n && start >= stop) return `with positive step arg start (${start}) must be < stop (${stop})`;
  return undefined;
}

/** `.parse_big_decimal(scale)` */
function checkDecimalScale([scale]: KnownArguments): string | undefined {
  const value = wholeArgument(scale);
  if (value === undefined || (value >= 0n && value <= 16383n)) return undefined;
  return `scale must be between 0 and 16383, got ${value}`;
}

/** `bytes(length)` */
function checkLength([length]: KnownArguments): string | undefined {
  const value = wholeArgument(length);
  return value !== undefined && value < 0n ? `bytes length must be positive, got ${value}` : undefined;
}

/** `.slice(low, high)`: bounds from the start with nothing between them. */
function checkSlice([low, high]: KnownArguments): string | undefined {
  const [first, last] = [wholeArgument(low), wholeArgument(high)];
  if (first === undefined || last === undefined || last <= 0n || first < last) return undefined;
  return `lower slice bound ${first} must be lower than upper (${last})`;
}

/** `.replace_all_many([old, new, …])` */
function checkPairs([values]: KnownArguments): string | undefined {
  if (typeof values !== "object" || values === null || values.kind !== "array") return undefined;
  const { items } = values;
  if (items.length % 2 !== 0) {
    const shown = `[${items.map(nativeText).join(" ")}]`;
    return `invalid arg, replacements should be in pairs and must therefore be even: ${shown}`;
  }
  return findNoText(items, (index) => `invalid replacement value at index ${index}`);
}

/** `.strip_html([name, …])` */
function checkPreserved([names]: KnownArguments): string | undefined {
  if (typeof names !== "object" || names === null || names.kind !== "array") return undefined;
  return findNoText(names.items, (index) => `invalid arg at index ${index}`);
}

/** Returns what is wrong with the first element that is not text; `place` names it. */
function findNoText(items: readonly ConstantValue[], place: (index: number) => string): string | undefined {
  const index = items.findIndex((item) => typeof item !== "string");
  const item = items[index];
  if (item === undefined) return undefined;
  return `${place(index)}: expected string value, got ${constantType(item)}${shownValue(item)}`;
}

/** Returns a value as Go prints it by default. */
function nativeText(value: ConstantValue): string {
  if (value === null) return "<nil>";
  if (typeof value !== "object") return String(value);
  if (value.kind === "float") return printFloat(value.value);
  if (value.kind === "array") return `[${value.items.map(nativeText).join(" ")}]`;
  const entries = [...value.entries].toSorted(([first], [second]) => (first < second ? -1 : 1));
  return `map[${entries.map(([key, each]) => `${key}:${nativeText(each)}`).join(" ")}]`;
}

/** Returns an argument of an integer parameter: fractions are truncated. */
function wholeArgument(value: ConstantValue | undefined): bigint | undefined {
  if (value === undefined || !isNumeric(value)) return undefined;
  return typeof value === "bigint" ? value : BigInt(Math.trunc(value.value));
}
