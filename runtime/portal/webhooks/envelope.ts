// A delivery as the request that its subscriber gets.

import { createHmac } from "node:crypto";
import { connectionHeaders } from "../../requests/describe.ts";
import type { Webhook } from "../generated/webhook.ts";
import type { WebhookAttempt } from "./attempt.ts";
import type { StoredEvent } from "./deliveries.ts";
import { keyOfSecret, type Sealing } from "./secrets.ts";

/** Headers that say how and where the body travels, and are not for events to set. */
const ownNames: ReadonlySet<string> = new Set([...connectionHeaders, "user-agent"]);

/** The request, signed at this moment (Unix milliseconds). Throws an `Error` where a secret cannot be read. */
export function envelopeOf(
  delivery: { readonly id: string; readonly event: StoredEvent; readonly record: string },
  sealing: Sealing,
  now: number,
): WebhookAttempt {
  const { id, event } = delivery;
  const { url, secret = "" }: Webhook = JSON.parse(delivery.record);
  const body = Buffer.from(event.body, "base64");
  const timestamp = Math.floor(now / 1000);
  // The subscription's own comes first.
  const secrets = [secret, event.secret].filter((each) => each !== null);
  const keys = secrets.map((each) => keyOf(sealing.open(each)));
  const given: Readonly<Record<string, string>> = JSON.parse(event.headers);
  return {
    url: new URL(url),
    headers: {
      ...Object.fromEntries(Object.entries(given).filter(([name]) => isForEvents(name))),
      "user-agent": "sluice",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatureOf({ id, timestamp, body }, keys),
      "webhook-event": event.event,
    },
    body,
  };
}

/** Whether an event may set a header, by its name in lower case. */
export function isForEvents(name: string): boolean {
  return !ownNames.has(name) && !name.startsWith("webhook-");
}

function keyOf(secret: string): Buffer {
  const key = keyOfSecret(secret);
  if (key === undefined) throw new Error("a secret is not base64");
  return key;
}

// Signatures of webhooks, after the convention "Standard Webhooks" (version 1.0.0, "signature scheme").

/** What is signed. */
interface SignedContent {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/** The header `webhook-signature`: `v1,BASE64` for each key, with blanks between them; one that fits is enough. */
function signatureOf({ id, timestamp, body }: SignedContent, keys: readonly Uint8Array[]): string {
  return keys
    .map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64"))
    .map((digest) => `v1,${digest}`)
    .join(" ");
}
