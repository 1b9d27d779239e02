// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Events for those who have subscribed to them. */
export interface WebhookEvents {
  /** In the order of their delivery. */
  readonly events: readonly {
    /** Type; the event is sent to subscribers of exactly this type. */
    readonly event_type: string;
    /** Headers to send along, by name. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Signs beside the secret of each subscription. */
    readonly secret?: string;
    /** The message, base64. */
    readonly body: string;
  }[];
}

/** `WebhookEvents` as JSON Schema 2020-12. */
export const webhookEventsSchema: RecordSchema<WebhookEvents> = {
  name: "WebhookEvents",
  schema: {
    title: "Events",
    description: "Events for those who have subscribed to them.",
    type: "object",
    additionalProperties: false,
    required: [
      "events"
    ],
    properties: {
      events: {
        type: "array",
        description: "In the order of their delivery.",
        minItems: 1,
        maxItems: 1000,
        items: {
          type: "object",
          additionalProperties: false,
          required: [
            "event_type",
            "body"
          ],
          properties: {
            event_type: {
              type: "string",
              description: "Type; the event is sent to subscribers of exactly this type.",
              minLength: 1
            },
            headers: {
              type: "object",
              description: "Headers to send along, by name.",
              additionalProperties: {
                type: "string",
                pattern: "^[^\\r\\n\\u0000]*$"
              }
            },
            secret: {
              type: "string",
              description: "Signs beside the secret of each subscription.",
              minLength: 8,
              maxLength: 512
            },
            body: {
              type: "string",
              description: "The message, base64.",
              contentEncoding: "base64"
            }
          }
        }
      }
    }
  },
};
