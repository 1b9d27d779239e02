import { textOf } from "../../component/text.ts";
import { eventType } from "../../generated/formats.ts";
import { checkText, unfit } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import { isHeader } from "../../http/request-fields.ts";
import type { Batch } from "../../message/message.ts";
import { findContentType } from "../../message/metadata.ts";
import { areHeadersShort, largestEventHeaders, type WebhookEvent } from "../../portal/webhook-events.ts";
import { fieldValue } from "../../text/utf8.ts";
import type { PortalWebhookOutputOptions } from "./generated/output-options.ts";

/**
 * Converts the messages of a batch to events. Throws a `GatewayError` if the headers of one are invalid or too large.
 */
export function eventsOf(options: PortalWebhookOutputOptions, batch: Batch): readonly WebhookEvent[] {
  const { event_type, secret, headers = {} } = options;
  return prepareAll(batch, (message, index) => {
    const written = Object.entries(headers).map(([name, text]) =>
      headerOf(name, fieldValue(textOf(text, batch, index).trim())),
    );
    const event = {
      event: checkEventType(textOf(event_type, batch, index)),
      headers: {
        // JSON if the message has no type, or one that cannot be sent.
        "content-type": findContentType(message) ?? "application/json",
        ...Object.fromEntries(written),
      },
      ...(secret !== undefined && { secret }),
      body: message.bytes(),
    };
    if (!areHeadersShort(event))
      throw unfit(`The type and headers of an event are larger than ${largestEventHeaders} bytes`);
    return event;
  });
}

/** Checks the event type, which subscribers name and receive in a header. */
const checkEventType = /* @__PURE__ */ checkText("event_type", eventType);

function headerOf(name: string, value: string): readonly [name: string, value: string] {
  if (!isHeader(name, value))
    throw unfit(`The header \`${name}\` of an event holds characters that headers cannot hold`);
  return [name.toLowerCase(), value];
}
