// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Subscription of an app to events of its products. */
export interface Webhook {
  /** Id of the subscription. */
  readonly id?: string;
  /** Organisation that the subscription belongs to. */
  readonly org_id?: string;
  /** Id of the app that subscribes. */
  readonly app_id?: string;
  /** Address to which events are sent by POST, with `https` or `http`. */
  readonly url: string;
  /** Signing secret: `whsec_` and 16 to 64 bytes in base64, or any other text of at least 8 characters, used as its bytes. If not set, the server generates one and returns it only in the response to that write. */
  readonly secret?: string;
  /** Event types to receive, out of those that the products of the app offer. */
  readonly events: readonly string[];
  /** Purpose of the subscription. */
  readonly description?: string;
  /** Whether the subscription is disabled. While it is, no new events are kept for it, and waiting events continue to wait. Also set if the receiver responds with 410. */
  readonly disabled?: boolean;
  /** Time of creation, in UTC. */
  readonly date_created?: string;
  /** State of the deliveries. */
  readonly state?: {
    /** Number of deliveries that have not been received yet. */
    readonly waiting?: number;
    /** Number of deliveries that were given up and can be replayed. */
    readonly dead?: number;
    /** Number of failed attempts of the current delivery. */
    readonly attempts?: number;
    /** Time of the next attempt, in UTC. Empty if nothing has failed. */
    readonly next_attempt?: string;
    /** Reason for the failure of the last attempt. Empty if it did not fail. */
    readonly last_failure?: string;
    /** Last 20 attempts, newest first. Those of a gateway that was killed may be missing. */
    readonly recent_attempts?: readonly {
      /** Start time, in UTC. */
      readonly date: string;
      /** Id of the delivery. The receiver gets it as `webhook-id`. */
      readonly delivery: string;
      /** Type of the event. */
      readonly event: string;
      /** Status code of the response. Absent if there was none. */
      readonly status?: number;
      /** Reason for the failure. Empty if the delivery was received. */
      readonly failure: string;
      /** Duration in milliseconds. */
      readonly duration: number;
    }[];
  };
}

/** `Webhook` as JSON Schema 2020-12. */
export const webhookSchema: RecordSchema<Webhook> = {
  name: "Webhook",
  schema: {
    title: "Webhook",
    description: "Subscription of an app to events of its products.",
    type: "object",
    additionalProperties: false,
    required: [
      "url",
      "events"
    ],
    properties: {
      id: {
        type: "string",
        description: "Id of the subscription.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation that the subscription belongs to.",
        readOnly: true
      },
      app_id: {
        type: "string",
        description: "Id of the app that subscribes.",
        readOnly: true
      },
      url: {
        type: "string",
        description: "Address to which events are sent by POST, with `https` or `http`.",
        format: "uri",
        minLength: 1,
        maxLength: 2048
      },
      secret: {
        type: "string",
        description: "Signing secret: `whsec_` and 16 to 64 bytes in base64, or any other text of at least 8 characters, used as its bytes. If not set, the server generates one and returns it only in the response to that write.",
        minLength: 8,
        maxLength: 512,
        writeOnly: true
      },
      events: {
        type: "array",
        description: "Event types to receive, out of those that the products of the app offer.",
        minItems: 1,
        maxItems: 200,
        items: {
          type: "string",
          minLength: 1,
          maxLength: 128,
          pattern: "^[!-~]+( [!-~]+)*$"
        }
      },
      description: {
        type: "string",
        description: "Purpose of the subscription."
      },
      disabled: {
        type: "boolean",
        description: "Whether the subscription is disabled. While it is, no new events are kept for it, and waiting events continue to wait. Also set if the receiver responds with 410."
      },
      date_created: {
        type: "string",
        description: "Time of creation, in UTC.",
        format: "date-time",
        readOnly: true
      },
      state: {
        type: "object",
        description: "State of the deliveries.",
        readOnly: true,
        additionalProperties: false,
        properties: {
          waiting: {
            type: "integer",
            description: "Number of deliveries that have not been received yet."
          },
          dead: {
            type: "integer",
            description: "Number of deliveries that were given up and can be replayed."
          },
          attempts: {
            type: "integer",
            description: "Number of failed attempts of the current delivery."
          },
          next_attempt: {
            type: "string",
            description: "Time of the next attempt, in UTC. Empty if nothing has failed.",
            format: "date-time"
          },
          last_failure: {
            type: "string",
            description: "Reason for the failure of the last attempt. Empty if it did not fail."
          },
          recent_attempts: {
            type: "array",
            description: "Last 20 attempts, newest first. Those of a gateway that was killed may be missing.",
            items: {
              type: "object",
              additionalProperties: false,
              required: [
                "date",
                "delivery",
                "event",
                "failure",
                "duration"
              ],
              properties: {
                date: {
                  type: "string",
                  description: "Start time, in UTC.",
                  format: "date-time"
                },
                delivery: {
                  type: "string",
                  description: "Id of the delivery. The receiver gets it as `webhook-id`."
                },
                event: {
                  type: "string",
                  description: "Type of the event."
                },
                status: {
                  type: "integer",
                  description: "Status code of the response. Absent if there was none."
                },
                failure: {
                  type: "string",
                  description: "Reason for the failure. Empty if the delivery was received."
                },
                duration: {
                  type: "integer",
                  description: "Duration in milliseconds."
                }
              }
            }
          }
        }
      }
    }
  },
};
