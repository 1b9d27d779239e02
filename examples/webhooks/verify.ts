// Tells whether a webhook is from who has the secret: the convention "Standard Webhooks" by Node alone.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Whether a signature fits, and is no older, or newer, than five minutes. */
export function isGenuine(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false;
  const isEncoded = secret.startsWith("whsec_");
  const key = isEncoded ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest();
  return String(signatures)
    .split(" ")
    .map((signature) => Buffer.from(signature.replace(/^v1,/, ""), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
