// A sign-in that waits for the provider's response. The browser carries it in an encrypted cookie, so that the server
// stores nothing for unknown visitors, and any replica can complete it.

import { hkdfSync } from "node:crypto";
import { openText, sealKeyBytes, sealText } from "../keys/sealed-text.ts";

/** The data that the response of a provider has to match. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE verifier (RFC 7636). */
  readonly verifier: string;
  /** The view that was requested. */
  readonly view: string;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** Milliseconds that a person may take. */
export const pendingLifetime = 10 * 60_000;

/** Encrypts and decrypts pending sign-ins. */
export interface Seal {
  seal(pending: PendingSignIn): string;
  /** Returns `undefined` if the text was not sealed with this key or the sign-in has expired. */
  open(sealed: string): PendingSignIn | undefined;
}

/**
 * Creates a seal with AES-256-GCM, whose key all replicas derive from the client secret. The key depends on the server,
 * the client and the provider, so that a sign-in started at one provider cannot be completed at another (RFC 9700,
 * section 4.4).
 */
export function createSeal(secret: string, ...of: readonly string[]): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", `sign-in of ${JSON.stringify(of)}`, sealKeyBytes));
  return {
    seal: (pending) => sealText(key, JSON.stringify(pending)).toString("base64url"),
    open(sealed) {
      const text = textOf(key, Buffer.from(sealed, "base64url"));
      // Only texts that were sealed with this key can be decrypted.
      const pending = text === undefined ? undefined : (JSON.parse(text) as PendingSignIn);
      return pending === undefined || pending.expires <= Date.now() ? undefined : pending;
    },
  };
}

function textOf(key: Buffer, sealed: Buffer): string | undefined {
  try {
    return openText(key, sealed);
  } catch {
    // The cookie is from another server, or the secret has been replaced.
    return undefined;
  }
}
