// The synchronous part of `node:crypto` that mappings use: digests and random values. Keys and ciphers are missing:
// browsers have only asynchronous versions, for which a mapping cannot wait.

import { hmac } from "@noble/hashes/hmac.js";
import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha224, sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { sha3_256, sha3_512 } from "@noble/hashes/sha3.js";
import { Buffer } from "./globals.ts";

const digests = { md5, sha1, sha224, sha256, sha384, sha512, "sha3-256": sha3_256, "sha3-512": sha3_512 };

function digestOf(name: string) {
  if (!Object.hasOwn(digests, name)) throw new Error(`unknown digest ${name}`);
  return digests[name as keyof typeof digests];
}

interface Running {
  update(bytes: Uint8Array): Running;
  digest(): Uint8Array;
}

function running(hash: Running) {
  const self = {
    update(data: string | Uint8Array) {
      hash.update(typeof data === "string" ? new TextEncoder().encode(data) : data);
      return self;
    },
    digest(encoding?: BufferEncoding) {
      const bytes = Buffer.from(hash.digest());
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },
  };
  return self;
}

export function createHash(name: string) {
  return running(digestOf(name).create());
}

export function createHmac(name: string, key: string | Uint8Array) {
  return running(hmac.create(digestOf(name), typeof key === "string" ? new TextEncoder().encode(key) : key));
}

export function randomUUID(): string {
  return crypto.randomUUID();
}

export function getRandomValues<T extends Uint8Array<ArrayBuffer>>(array: T): T {
  return crypto.getRandomValues(array);
}

export function randomBytes(length: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
}

/** Returns a uniformly distributed integer from `low` (0 if omitted) up to but excluding `high`, as in Node. */
export function randomInt(low: number, high?: number): number {
  const [from, to] = high === undefined ? [0, low] : [low, high];
  const range = to - from;
  const limit = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const [upper = 0, lower = 0] = crypto.getRandomValues(new Uint32Array(2));
    const value = (upper & 0xffff) * 2 ** 32 + lower;
    if (value < limit) return from + (value % range);
  }
}

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) throw new RangeError("Input buffers must have the same byte length");
  let difference = 0;
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0);
  return difference === 0;
}

/** Whether a text is PEM with a matching label and DER content, judging by its form only. */
function isPem(text: unknown, names: RegExp): boolean {
  const [, name = "", body = ""] =
    /-----BEGIN ([A-Z ]+)-----([\s\S]+?)-----END \1-----/.exec(String(text)) ?? [];
  return names.test(name) && Buffer.from(body, "base64")[0] === 0x30;
}

/** A certificate for the compiler, which only checks that it is valid. */
export class X509Certificate {
  readonly raw: Uint8Array;

  constructor(text: unknown) {
    if (!isPem(text, /^CERTIFICATE$/)) throw new TypeError("no certificate in PEM");
    this.raw = Buffer.from(String(text));
  }
}

/**
 * Creates a public key for the compiler, which only checks that it is valid. Mappings cannot use it, since `verify`
 * is missing.
 */
export function createPublicKey(text: unknown): object {
  if (!isPem(text, /^(?:(?:[A-Z]+ )?PUBLIC KEY|CERTIFICATE)$/)) throw new TypeError("no public key in PEM");
  return { type: "public" };
}
