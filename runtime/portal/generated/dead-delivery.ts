// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** A delivery that was given up. */
export interface DeadDelivery {
  /** Its id, which its receiver knows as `webhook-id`. */
  readonly id?: string;
  /** Type of the event. */
  readonly event?: string;
  /** When the event was taken, in UTC. */
  readonly date_created?: string;
  /** When it was given up, in UTC. */
  readonly date_given_up?: string;
  /** How often it was tried. */
  readonly attempts?: number;
  /** Why it was given up. */
  readonly last_failure?: string;
  /** Headers of the event; only where one is read. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The message, base64; only where one is read. */
  readonly body?: string;
}

/** `DeadDelivery` as JSON Schema 2020-12. */
export const deadDeliverySchema: RecordSchema<DeadDelivery> = {
  name: "DeadDelivery",
  schema: {
    title: "Dead delivery",
    description: "A delivery that was given up.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: {
        type: "string",
        description: "Its id, which its receiver knows as `webhook-id`.",
        readOnly: true
      },
      event: {
        type: "string",
        description: "Type of the event.",
        readOnly: true
      },
      date_created: {
        type: "string",
        description: "When the event was taken, in UTC.",
        format: "date-time",
        readOnly: true
      },
      date_given_up: {
        type: "string",
        description: "When it was given up, in UTC.",
        format: "date-time",
        readOnly: true
      },
      attempts: {
        type: "integer",
        description: "How often it was tried.",
        readOnly: true
      },
      last_failure: {
        type: "string",
        description: "Why it was given up.",
        readOnly: true
      },
      headers: {
        type: "object",
        description: "Headers of the event; only where one is read.",
        additionalProperties: {
          type: "string"
        },
        readOnly: true
      },
      body: {
        type: "string",
        description: "The message, base64; only where one is read.",
        contentEncoding: "base64",
        readOnly: true
      }
    }
  },
};
