// Digests, and signatures of manifests: Ed25519 (RFC 8032, section 5.1) over their bytes, in Base64. A manifest names its modules by digest, so
// one signature covers all of them.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

/**
 * Returns the public Ed25519 key in `pem`; `undefined` for any other key, since a gateway must not have the private key,
 * and for several, of which OpenSSL would read the first.
 */
export function readVerifyKey(pem: string): KeyObject | undefined {
  const isOne = pem.indexOf("-----BEGIN ") === pem.lastIndexOf("-----BEGIN ");
  return isOne && !pem.includes("PRIVATE KEY") ? readKey(pem, createPublicKey) : undefined;
}

/** Returns the private Ed25519 key in `pem`, for writers of deployments; `undefined` for any other key. */
export function readSigningKey(pem: string): KeyObject | undefined {
  return readKey(pem, createPrivateKey);
}

/** Returns the signature of `bytes`; it is the same each time. */
export function signBytes(bytes: Uint8Array, key: KeyObject): string {
  return sign(null, bytes, key).toString("base64");
}

function readKey(pem: string, read: (pem: string) => KeyObject): KeyObject | undefined {
  try {
    // In environment files a line break may be the two characters `\n`.
    const key = read(pem.replaceAll("\\n", "\n"));
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    return undefined; // no details: an error of OpenSSL may quote the key
  }
}

/** Whether the holder of `key` made `signature` for `bytes`. */
export function isSigned(bytes: Uint8Array, signature: string, key: KeyObject): boolean {
  const decoded = Buffer.from(signature.trim(), "base64");
  return decoded.length === 64 && verify(null, bytes, key, decoded);
}

/** Returns the hex SHA-256 of bytes: the name of a blob. */
export function hexDigest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
