// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** A subscription of an app to events of its products. */
export interface Webhook {
  /** Its id. */
  readonly id?: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** The app that subscribes. */
  readonly app_id?: string;
  /** Address that events are posted to, of `https` or `http`. */
  readonly url: string;
  /** What signs: `whsec_` and base64 of 16 to 64 bytes, or any other text of 8 characters at least, as its bytes. Where none is given the server makes one, and tells it in the answer of that write only. */
  readonly secret?: string;
  /** Events it wants, of those that the products of the app offer. */
  readonly events: readonly string[];
  /** What it is for, in words. */
  readonly description?: string;
  /** Whether it is switched off: nothing new is kept for it, and what waits goes on waiting. Also set where the receiver answers 410. */
  readonly disabled?: boolean;
  /** When it was made, in UTC. */
  readonly date_created?: string;
  /** How its deliveries stand. */
  readonly state?: {
    /** Deliveries that were not received yet. */
    readonly waiting?: number;
    /** Deliveries that were given up, and can be replayed. */
    readonly dead?: number;
    /** Failed attempts of the delivery at hand. */
    readonly attempts?: number;
    /** When it is tried again, in UTC; empty where nothing has failed. */
    readonly next_attempt?: string;
    /** Why the last attempt failed; empty where it did not. */
    readonly last_failure?: string;
    /** The last 20 attempts, the newest first. Those of a gateway that was killed may be missing. */
    readonly recent_attempts?: readonly {
      /** When it began, in UTC. */
      readonly date: string;
      /** Id of the delivery, which its receiver knows as `webhook-id`. */
      readonly delivery: string;
      /** Type of the event. */
      readonly event: string;
      /** Status of the answer; absent where there was none. */
      readonly status?: number;
      /** Why it failed; empty where it was received. */
      readonly failure: string;
      /** Milliseconds that it took. */
      readonly duration: number;
    }[];
  };
}

/** `Webhook` as JSON Schema 2020-12. */
export const webhookSchema: RecordSchema<Webhook> = {
  name: "Webhook",
  schema: {
    title: "Webhook",
    description: "A subscription of an app to events of its products.",
    type: "object",
    additionalProperties: false,
    required: [
      "url",
      "events"
    ],
    properties: {
      id: {
        type: "string",
        description: "Its id.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation it belongs to.",
        readOnly: true
      },
      app_id: {
        type: "string",
        description: "The app that subscribes.",
        readOnly: true
      },
      url: {
        type: "string",
        description: "Address that events are posted to, of `https` or `http`.",
        format: "uri",
        minLength: 1,
        maxLength: 2048
      },
      secret: {
        type: "string",
        description: "What signs: `whsec_` and base64 of 16 to 64 bytes, or any other text of 8 characters at least, as its bytes. Where none is given the server makes one, and tells it in the answer of that write only.",
        minLength: 8,
        maxLength: 512,
        writeOnly: true
      },
      events: {
        type: "array",
        description: "Events it wants, of those that the products of the app offer.",
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
        description: "What it is for, in words."
      },
      disabled: {
        type: "boolean",
        description: "Whether it is switched off: nothing new is kept for it, and what waits goes on waiting. Also set where the receiver answers 410."
      },
      date_created: {
        type: "string",
        description: "When it was made, in UTC.",
        format: "date-time",
        readOnly: true
      },
      state: {
        type: "object",
        description: "How its deliveries stand.",
        readOnly: true,
        additionalProperties: false,
        properties: {
          waiting: {
            type: "integer",
            description: "Deliveries that were not received yet."
          },
          dead: {
            type: "integer",
            description: "Deliveries that were given up, and can be replayed."
          },
          attempts: {
            type: "integer",
            description: "Failed attempts of the delivery at hand."
          },
          next_attempt: {
            type: "string",
            description: "When it is tried again, in UTC; empty where nothing has failed.",
            format: "date-time"
          },
          last_failure: {
            type: "string",
            description: "Why the last attempt failed; empty where it did not."
          },
          recent_attempts: {
            type: "array",
            description: "The last 20 attempts, the newest first. Those of a gateway that was killed may be missing.",
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
                  description: "When it began, in UTC.",
                  format: "date-time"
                },
                delivery: {
                  type: "string",
                  description: "Id of the delivery, which its receiver knows as `webhook-id`."
                },
                event: {
                  type: "string",
                  description: "Type of the event."
                },
                status: {
                  type: "integer",
                  description: "Status of the answer; absent where there was none."
                },
                failure: {
                  type: "string",
                  description: "Why it failed; empty where it was received."
                },
                duration: {
                  type: "integer",
                  description: "Milliseconds that it took."
                }
              }
            }
          }
        }
      }
    }
  },
};
