// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Events for webhook subscriptions. */
export interface WebhookEvents {
  /** Events in the order of their delivery. */
  readonly events: readonly {
    /** Type of the event. The event is sent to subscribers of exactly this type. */
    readonly event_type: string;
    /** Headers to send with the event, by name. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Secret that signs the event in addition to the secret of each subscription. */
    readonly secret?: string;
    /** Base64-encoded message. */
    readonly body: string;
  }[];
}

/** `WebhookEvents` as JSON Schema 2020-12. */
export const webhookEventsSchema: RecordSchema<WebhookEvents> = {
  name: "WebhookEvents",
  schema: {
    title: "Events",
    description: "Events for webhook subscriptions.",
    type: "object",
    additionalProperties: false,
    required: [
      "events"
    ],
    properties: {
      events: {
        type: "array",
        description: "Events in the order of their delivery.",
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
              description: "Type of the event. The event is sent to subscribers of exactly this type.",
              minLength: 1
            },
            headers: {
              type: "object",
              description: "Headers to send with the event, by name.",
              additionalProperties: {
                type: "string",
                pattern: "^[^\\r\\n\\u0000]*$"
              }
            },
            secret: {
              type: "string",
              description: "Secret that signs the event in addition to the secret of each subscription.",
              minLength: 8,
              maxLength: 512
            },
            body: {
              type: "string",
              description: "Base64-encoded message.",
              contentEncoding: "base64"
            }
          }
        }
      }
    }
  },
};
