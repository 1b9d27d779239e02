// Encodings, digests and encryption.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { decode } from "../../mapping/encoding.ts";
import { base32Encode as base32Of, base32Decode as bytesOfBase32 } from "../../text/base32.ts";
import { base64Fault } from "../../text/base64.ts";
import { asBuffer, bytewise, decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import { failure } from "./values.ts";

export function base64Encode(text: string): string {
  return asBuffer(encodeUtf8(text)).toString("base64");
}

/** Decodes Base64. The result for an invalid text is the reason, as in the reference engine. */
export function base64Decode(text: string): string {
  const bytes = bytewise(text);
  const place = base64Fault(bytes);
  return place === undefined
    ? decodeUtf8(Buffer.from(bytes, "base64"))
    : `illegal base64 data at input byte ${place}`;
}

export function base32Encode(text: string): string {
  return base32Of(encodeUtf8(text));
}

/** Decodes Base32. The result for an invalid text is the reason, as in the reference engine. */
export function base32Decode(text: string): string {
  const compact = bytewise(text).replace(/[\r\n]/g, "");
  const digits = /^[A-Z2-7]*/.exec(compact)?.[0] ?? "";
  const place = base32Fault(compact, digits.length);
  if (place !== undefined) return `illegal base32 data at input byte ${place}`;
  return decodeUtf8(bytesOfBase32(digits));
}

/** Returns the index of the first byte that is not valid after `count` digits; `undefined` if all are. */
function base32Fault(text: string, count: number): number | undefined {
  const rest = count % 8;
  if (count === text.length) return rest === 0 ? undefined : count - rest;
  const isPadding = text[count] === "=" && rest >= 2 && text.length - count <= 8;
  if (!isPadding) return count;
  const wanted = 8 - rest;
  if (text.length - count < wanted) return text.length;
  for (let at = count + 1; at < count + wanted; at++) if (text[at] !== "=") return at - 1;
  return rest === 3 || rest === 6 ? count : undefined;
}

function digest(algorithm: string, text: string): string {
  return createHash(algorithm).update(encodeUtf8(text)).digest("hex");
}

export function sha1Sum(text: string): string {
  return digest("sha1", text);
}

export function sha256Sum(text: string): string {
  return digest("sha256", text);
}

export function sha512Sum(text: string): string {
  return digest("sha512", text);
}

export function adler32Sum(text: string): string {
  let low = 1;
  let high = 0;
  for (const byte of encodeUtf8(text)) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return String(high * 65_536 + low);
}

/** Returns a key of 32 bytes: the password, cut off or followed by zeros. */
function keyOf(password: string): Uint8Array {
  const key = Buffer.alloc(32);
  key.set(encodeUtf8(password).subarray(0, 32));
  return key;
}

/** Encrypts with AES-256 in CBC mode. The result begins with the random initialisation vector, in Base64. */
export function encryptAes(password: string, text: string): string {
  if (text === "") return "";
  const vector = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", keyOf(password), vector);
  return Buffer.concat([vector, cipher.update(encodeUtf8(text)), cipher.final()]).toString("base64");
}

export function decryptAes(password: string, text: string): string {
  if (text === "") return "";
  const bytes = decode(text, "", "base64");
  if (bytes.length < 32 || bytes.length % 16 !== 0) throw failure("the text is not encrypted with AES");
  const decipher = createDecipheriv("aes-256-cbc", keyOf(password), bytes.subarray(0, 16));
  decipher.setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  const padding = plain.at(-1) ?? 0;
  if (padding > plain.length) throw failure("the text is not encrypted with this password");
  return decodeUtf8(plain.subarray(0, plain.length - padding));
}
