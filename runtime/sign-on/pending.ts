// A sign-in between the way to the provider and the way back. The browser carries it, sealed, so that a server keeps
// nothing of strangers, and any replica can finish what another began.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** What the answer of a provider has to match. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
  /** The view that was asked for. */
  readonly view: string;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** Milliseconds that a person may take. */
export const pendingLifetime = 10 * 60_000;

/** Seals and opens pending sign-ins. */
export interface Seal {
  seal(pending: PendingSignIn): string;
  /** `undefined` for what was not sealed here, and what is over. */
  open(sealed: string): PendingSignIn | undefined;
}

const ivBytes = 12;
const tagBytes = 16;

/** A seal by AES-256-GCM, whose key all replicas derive from the secret of the client. */
export function createSeal(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", `sign-in of ${purpose}`, 32));
  return {
    seal(pending) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const text = Buffer.concat([cipher.update(JSON.stringify(pending), "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.byteLength <= ivBytes + tagBytes) return undefined;
      const text = decrypt(key, bytes);
      // Only what was sealed here can be opened.
      const pending = text === undefined ? undefined : (JSON.parse(text) as PendingSignIn);
      return pending === undefined || pending.expires <= Date.now() ? undefined : pending;
    },
  };
}

function decrypt(key: Buffer, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  const text = decipher.update(bytes.subarray(ivBytes + tagBytes));
  try {
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    // Somebody else sealed it, or with another secret.
    return undefined;
  }
}
