// Signatures of webhooks, after the convention "Standard Webhooks" (version 1.0.0, "signature scheme").

import { createHmac } from "node:crypto";

/** What is signed. */
export interface SignedContent {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/** The header `webhook-signature`: `v1,BASE64` for each key, with blanks between them; one that fits is enough. */
export function signatureOf({ id, timestamp, body }: SignedContent, keys: readonly Uint8Array[]): string {
  return keys
    .map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64"))
    .map((digest) => `v1,${digest}`)
    .join(" ");
}
