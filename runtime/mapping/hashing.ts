// Digests.

import { createHash, createHmac } from "node:crypto";
import type { Value } from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { textArgument, textTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";
import { bytesOf } from "./text.ts";
import { xxhash64 } from "./xxhash.ts";

const digests: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["md5", "md5"],
  ["sha1", "sha1"],
  ["sha256", "sha256"],
  ["sha512", "sha512"],
  ["sha3_256", "sha3-256"],
  ["sha3_512", "sha3-512"],
]);
/** Keyed digests by the names they have, and had before. */
const keyed: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  ["sha1", "sha256", "sha512"].flatMap((digest) => [
    [`hmac_${digest}`, digest],
    [`hmac-${digest}`, digest],
  ]),
);

/** Reversed polynomials by name. */
const polynomials: Readonly<Record<string, number>> = {
  IEEE: 0xedb88320,
  Castagnoli: 0x82f63b78,
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
  textTarget(target, from);
  const bytes = bytesOf(target);
  const name = textArgument("method 'hash'", "algorithm", algorithm);
  const digest = digests.get(name);
  if (digest !== undefined) return createHash(digest).update(bytes).digest();
  const keyedDigest = keyed.get(name);
  if (keyedDigest !== undefined) {
    const secret = key === undefined ? "" : textArgument("method 'hash'", "key", key);
    if (key === undefined || secret === "")
      throw failedOn(from, `hash algorithm ${name} requires a key argument`);
    return createHmac(keyedDigest, bytesOf(key)).update(bytes).digest();
  }
  if (name === "crc32") return crc32(bytes, textArgument("method 'hash'", "polynomial", polynomial), from);
  // The digits of the number, not its bytes.
  if (name === "xxhash64") return encodeUtf8(String(xxhash64(bytes)));
  if (name === "fnv32") return bigEndian(fnv32(bytes));
  throw failedOn(from, `unrecognized hash type: ${name}`);
}

function crc32(bytes: Uint8Array, name: string, from: string): Uint8Array {
  const polynomial = Object.hasOwn(polynomials, name) ? polynomials[name] : undefined;
  if (polynomial === undefined) throw failedOn(from, `unsupported crc32 hash key ${JSON.stringify(name)}`);
  let remainder = 0xffffffff;
  for (const byte of bytes) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      remainder = (remainder >>> 1) ^ (remainder & 1 ? polynomial : 0);
    }
  }
  return bigEndian(~remainder >>> 0);
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

/** `.uuid_v5(ns)`: of a name within a namespace, by default the nil one. */
export function uuidV5(target: Value, from: string, ns?: Value): string {
  const name = textTarget(target, from);
  const space =
    ns === undefined ? "0".repeat(32) : namespaceOf(textArgument("method 'uuid_v5'", "ns", ns), from);
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
