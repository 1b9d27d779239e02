// A sign-in between the way to the provider and the way back. The browser carries it, sealed, so that a server keeps
// nothing of strangers, and any replica can finish what another began.

import { hkdfSync } from "node:crypto";
import { openText, sealKeyBytes, sealText } from "../keys/sealed-text.ts";

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

/**
 * A seal by AES-256-GCM, whose key all replicas derive from the secret of the client. It is of one server and one client of one
 * provider, so that what was begun at a provider is not finished at another one (RFC 9700, section 4.4).
 */
export function createSeal(secret: string, ...of: readonly string[]): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", `sign-in of ${JSON.stringify(of)}`, sealKeyBytes));
  return {
    seal: (pending) => sealText(key, JSON.stringify(pending)).toString("base64url"),
    open(sealed) {
      const text = textOf(key, Buffer.from(sealed, "base64url"));
      // Only what was sealed here can be opened.
      const pending = text === undefined ? undefined : (JSON.parse(text) as PendingSignIn);
      return pending === undefined || pending.expires <= Date.now() ? undefined : pending;
    },
  };
}

function textOf(key: Buffer, sealed: Buffer): string | undefined {
  try {
    return openText(key, sealed);
  } catch {
    // The cookie is from another server, or the secret was replaced.
    return undefined;
  }
}
