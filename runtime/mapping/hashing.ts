// Digests.

import { createHash, createHmac } from "node:crypto";
import type { Value } from "../value.ts";
import { textArgument, textTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";
import { bytesOf } from "./text.ts";

const digests = /* @__PURE__ */ new Set(["md5", "sha1", "sha256", "sha512"]);
const keyed = /* @__PURE__ */ new Set(["hmac_sha1", "hmac_sha256", "hmac_sha512"]);

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
  if (digests.has(name)) return createHash(name).update(bytes).digest();
  if (keyed.has(name)) {
    if (key === undefined) throw failedOn(from, `hash algorithm ${name} requires a key argument`);
    textArgument("method 'hash'", "key", key);
    return createHmac(name.slice("hmac_".length), bytesOf(key)).update(bytes).digest();
  }
  if (name === "crc32") return crc32(bytes, textArgument("method 'hash'", "polynomial", polynomial), from);
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
