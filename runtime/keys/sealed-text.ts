// Encrypts and authenticates texts that are stored outside of the process, with AES-256-GCM (NIST SP 800-38D).

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** The length of a key in bytes. */
export const sealKeyBytes = 32;
const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a text. Returns a random nonce, the tag and the ciphertext. `key` has `sealKeyBytes` bytes. */
export function sealText(key: Buffer, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]);
}

/** Decrypts a text. Throws an `Error` if it was encrypted with another key or has been modified. */
export function openText(key: Buffer, sealed: Buffer): string {
  if (sealed.byteLength < nonceBytes + tagBytes) throw new Error("the sealed text is too short");
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  const content = decipher.update(sealed.subarray(nonceBytes + tagBytes));
  return Buffer.concat([content, decipher.final()]).toString("utf8");
}
