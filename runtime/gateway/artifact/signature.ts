// Digests, and signatures of manifests: Ed25519 over their bytes, in Base64. A manifest names its modules by digest, so that one
// signature covers all of them.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

/** The key that `pem` holds; `undefined` for anything but a public Ed25519 key: a gateway must not have the private one. */
export function readVerifyKey(pem: string): KeyObject | undefined {
  return pem.includes("PRIVATE KEY") ? undefined : readKey(pem, createPublicKey);
}

/** The private Ed25519 key that `pem` holds, for writers of deployments; `undefined` for anything else. */
export function readSigningKey(pem: string): KeyObject | undefined {
  return readKey(pem, createPrivateKey);
}

/** The signature of `bytes`: the same each time. */
export function signBytes(bytes: Uint8Array, key: KeyObject): string {
  return sign(null, bytes, key).toString("base64");
}

function readKey(pem: string, read: (pem: string) => KeyObject): KeyObject | undefined {
  try {
    // Files of variables hold line breaks as two characters.
    const key = read(pem.replaceAll("\\n", "\n"));
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    return undefined; // what OpenSSL says of it may quote it
  }
}

/** Whether `signature` is that of `bytes` by the holder of `key`. */
export function isSigned(bytes: Uint8Array, signature: string, key: KeyObject): boolean {
  const decoded = Buffer.from(signature.trim(), "base64");
  return decoded.length === 64 && verify(null, bytes, key, decoded);
}

/** The hex sha256 of bytes: the name of a blob. */
export function hexDigest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
