// Events that other gateways hand over.

import { validateHeaderName, validateHeaderValue } from "node:http";
import { eventType } from "../../generated/formats.ts";
import { refusal } from "../../rest/answers.ts";
import { type WebhookEvents, webhookEventsSchema } from "../generated/webhook-events.ts";
import { areHeadersShort, largestEventHeaders, type WebhookEvent } from "../webhook-events.ts";
import { isUsableSecret } from "./secrets.ts";

/** An event of a body. Throws a 422 for what cannot be sent or signed, without quoting it. */
export function readEvent(given: WebhookEvents["events"][number], index: number): WebhookEvent {
  const { event_type: event, headers = {}, secret, body } = given;
  const errors = [
    ...(eventType.accepts(event) ? [] : [`event_type: is not ${eventType.expected}`]),
    ...(areHeadersShort({ event, headers }) ? [] : [`headers: are larger than ${largestEventHeaders} bytes`]),
    ...(Object.entries(headers).every(isHeader) ? [] : ["headers: one cannot be sent"]),
    ...(secret === undefined || isUsableSecret(secret) ? [] : ["secret: cannot sign"]),
    ...(isBase64(body) ? [] : ["body: is not base64"]),
  ];
  if (errors.length > 0) {
    const places = errors.map((error) => `events.${index}.${error}`);
    throw refusal(422, `${webhookEventsSchema.schema.title} object validation failed.`, places);
  }
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    event,
    headers: { "content-type": "application/json", ...Object.fromEntries(lower) },
    ...(secret !== undefined && { secret }),
    body: Buffer.from(body, "base64"),
  };
}

function isHeader([name, value]: readonly [string, string]): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false; // Node says so by throwing
  }
}

/** With its padding. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
