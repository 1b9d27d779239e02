// Hashes text and bytes: digests, keyed digests, checksums, and name-based UUIDs.

import { createHash, createHmac } from "node:crypto";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { quoteText } from "../text/quoting.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { textArgument, textTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";
import { bytesOf } from "./text.ts";

const digests: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["md5", "md5"],
  ["sha1", "sha1"],
  ["sha256", "sha256"],
  ["sha512", "sha512"],
  ["sha3_256", "sha3-256"],
  ["sha3_512", "sha3-512"],
]);
/** Keyed digests by their current and former names. */
const keyed: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  ["sha1", "sha256", "sha512"].flatMap((digest) => [
    [`hmac_${digest}`, digest],
    [`hmac-${digest}`, digest],
  ]),
);

/** Digests whose result is a number. */
const numbered: readonly string[] = ["crc32", "xxhash64", "fnv32"];

/** The reversed polynomial of CRC-32C. */
export const castagnoli = 0x82f63b78;

/** Reversed polynomials by name. */
const polynomials: Readonly<Record<string, number>> = {
  IEEE: 0xedb88320,
  Castagnoli: castagnoli,
  Koopman: 0xeb31d82e,
};

/** `.hash(algorithm, key, polynomial)` */
export function hash(
  target: Value,
  from: string,
  algorithm: Value,
  key: Value | undefined,
  polynomial: Value,
): Uint8Array {
  const name = textArgument("method 'hash'", "algorithm", algorithm);
  if (key !== undefined) textArgument("method 'hash'", "key", key);
  const table = textArgument("method 'hash'", "polynomial", polynomial);
  if (!digests.has(name) && !keyed.has(name) && !numbered.includes(name)) {
    throw new MappingError(`unrecognized hash type: ${name}`);
  }
  textTarget(target, from);
  const bytes = bytesOf(target);
  const digest = digests.get(name);
  if (digest !== undefined) return createHash(digest).update(bytes).digest();
  const keyedDigest = keyed.get(name);
  if (keyedDigest !== undefined) {
    const secret = key === undefined ? "" : textArgument("method 'hash'", "key", key);
    if (key === undefined || secret === "")
      throw failedOn(from, `hash algorithm ${name} requires a key argument`);
    return createHmac(keyedDigest, bytesOf(key)).update(bytes).digest();
  }
  // These two return the digits of the number instead of its bytes.
  if (name === "xxhash64") return encodeUtf8(String(xxhash64(bytes)));
  if (name === "fnv32") return encodeUtf8(String(fnv32(bytes)));
  return crc32(bytes, table, from);
}

function crc32(bytes: Uint8Array, name: string, from: string): Uint8Array {
  const polynomial = Object.hasOwn(polynomials, name) ? polynomials[name] : undefined;
  if (polynomial === undefined) throw failedOn(from, `unsupported crc32 hash key ${quoteText(name)}`);
  return bigEndian(remainderOf(bytes, polynomial));
}

/** Returns a CRC-32 by a reversed polynomial. */
export function remainderOf(bytes: Uint8Array, polynomial: number): number {
  let remainder = 0xffffffff;
  for (const byte of bytes) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      remainder = (remainder >>> 1) ^ (remainder & 1 ? polynomial : 0);
    }
  }
  return ~remainder >>> 0;
}

function fnv32(bytes: Uint8Array): number {
  let result = 0x811c9dc5;
  for (const byte of bytes) result = (Math.imul(result, 0x01000193) ^ byte) >>> 0;
  return result;
}

function bigEndian(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

const namespaces: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["dns", "6ba7b8109dad11d180b400c04fd430c8"],
  ["url", "6ba7b8119dad11d180b400c04fd430c8"],
  ["oid", "6ba7b8129dad11d180b400c04fd430c8"],
  ["x500", "6ba7b8149dad11d180b400c04fd430c8"],
]);

/** `.uuid_v5(ns)`: the id of a name in a namespace, by default the nil namespace. Returns null for null. */
export function uuidV5(target: Value, from: string, ns?: Value): string | null {
  const namespace = ns === undefined ? undefined : textArgument("method 'uuid_v5'", "ns", ns);
  if (target === null) return null;
  const space = namespace === undefined ? "0".repeat(32) : namespaceOf(namespace, from);
  const name = textTarget(target, from);
  const digest = createHash("sha1").update(Buffer.from(space, "hex")).update(encodeUtf8(name)).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString("hex", 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function namespaceOf(text: string, from: string): string {
  const known = namespaces.get(text);
  if (known !== undefined) return known;
  const bare = text.replace(/^urn:uuid:/, "").replace(/^\{(.*)\}$/, "$1");
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(bare) || /^[0-9a-f]{32}$/i.test(bare))
    return bare.replaceAll("-", "");
  throw failedOn(from, `invalid ns uuid: "${text}"`);
}

// The hash XXH64, which Node does not provide.

const prime1 = 0x9e3779b185ebca87n;
const prime2 = 0xc2b2ae3d27d4eb4fn;
const prime3 = 0x165667b19e3779f9n;
const prime4 = 0x85ebca77c2b2ae63n;
const prime5 = 0x27d4eb2f165667c5n;

/** Returns the hash of `bytes` with seed 0, a uint64. */
function xxhash64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { length } = bytes;
  let at = 0;
  let hash = prime5;
  if (length >= 32) {
    const lanes = [wrap(prime1 + prime2), prime2, 0n, wrap(-prime1)];
    for (; at + 32 <= length; at += 32) {
      for (let lane = 0; lane < 4; lane++)
        lanes[lane] = round(lanes[lane] ?? 0n, view.getBigUint64(at + lane * 8, true));
    }
    hash = mergeLanes(lanes);
  }
  hash = wrap(hash + BigInt(length));
  for (; at + 8 <= length; at += 8) {
    hash ^= round(0n, view.getBigUint64(at, true));
    hash = wrap(rotate(hash, 27n) * prime1 + prime4);
  }
  if (at + 4 <= length) {
    hash ^= wrap(BigInt(view.getUint32(at, true)) * prime1);
    hash = wrap(rotate(hash, 23n) * prime2 + prime3);
    at += 4;
  }
  for (; at < length; at++)
    hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint8(at)) * prime5), 11n) * prime1);
  return avalanche(hash);
}

function mergeLanes(lanes: readonly bigint[]): bigint {
  const turns = [1n, 7n, 12n, 18n];
  let hash = wrap(lanes.reduce((sum, lane, index) => sum + rotate(lane, turns[index] ?? 0n), 0n));
  for (const lane of lanes) hash = wrap((hash ^ round(0n, lane)) * prime1 + prime4);
  return hash;
}

function avalanche(hash: bigint): bigint {
  const first = wrap((hash ^ (hash >> 33n)) * prime2);
  const second = wrap((first ^ (first >> 29n)) * prime3);
  return second ^ (second >> 32n);
}

function round(lane: bigint, input: bigint): bigint {
  return wrap(rotate(wrap(lane + input * prime2), 31n) * prime1);
}

function rotate(value: bigint, by: bigint): bigint {
  return wrap(value << by) | (value >> (64n - by));
}

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
