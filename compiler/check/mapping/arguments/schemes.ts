// Names of encodings and hashes: why known arguments do not name one.

import type { KnownArguments } from "../constant.ts";

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
const plainHashes: ReadonlySet<string> = new Set([
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

/** `.parse_jwt_rs256(signing_secret)` and its kin: the key of a signature by a pair of keys is PEM. */
export function checkPublicKey([secret]: KnownArguments): string | undefined {
  return typeof secret === "string" && !secret.includes("-----BEGIN ")
    ? "invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key"
    : undefined;
}

/** `.sign_jwt_rs256(signing_secret)` and its kin. */
export function checkPrivateKey(args: KnownArguments): string | undefined {
  const failure = checkPublicKey(args);
  return failure && `failed to decode signing_secret: ${failure}`;
}

/** `.encode(scheme)` */
export function checkEncoding([scheme]: KnownArguments): string | undefined {
  return typeof scheme === "string" && !encodings.has(scheme)
    ? `unrecognized encoding type: ${scheme}`
    : undefined;
}

/** `.decode(scheme)` */
export const checkDecoding: typeof checkEncoding = checkEncoding;

/** `.hash(algorithm, key, polynomial)`; polynomials are looked up when it runs. */
export function checkHash([algorithm, key]: KnownArguments): string | undefined {
  if (typeof algorithm !== "string" || plainHashes.has(algorithm)) return undefined;
  if (!keyedHashes.has(algorithm)) return `unrecognized hash type: ${algorithm}`;
  return key === undefined || key === "" ? `hash algorithm ${algorithm} requires a key argument` : undefined;
}

/** `.compress(algorithm, level)` */
export function checkCompression([algorithm]: KnownArguments): string | undefined {
  return typeof algorithm === "string" && !compressions.has(algorithm)
    ? `compression type not recognised: ${algorithm}`
    : undefined;
}

/** `.decompress(algorithm)` */
export function checkDecompression([algorithm]: KnownArguments): string | undefined {
  return algorithm === "bzip2" ? undefined : checkCompression([algorithm]);
}

const aesModes: ReadonlySet<string> = new Set(["ctr", "gcm", "ofb", "cbc"]);

/** `.encrypt_aes(scheme, key, iv)` */
export function checkEncryption([scheme, key]: KnownArguments): string | undefined {
  return checkAesKey(key) ?? checkAesMode(scheme, "encryption");
}

/** `.decrypt_aes(scheme, key, iv)` */
export function checkDecryption([scheme, key]: KnownArguments): string | undefined {
  return checkAesKey(key) ?? checkAesMode(scheme, "decryption");
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
