// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** A delivery that was given up. */
export interface DeadDelivery {
  /** Id of the delivery. The receiver gets it as `webhook-id`. */
  readonly id?: string;
  /** Type of the event. */
  readonly event?: string;
  /** Time at which the event was accepted, in UTC. */
  readonly date_created?: string;
  /** Time at which the delivery was given up, in UTC. */
  readonly date_given_up?: string;
  /** Number of attempts. */
  readonly attempts?: number;
  /** Reason for giving up. */
  readonly last_failure?: string;
  /** Headers of the event. Only returned for a single delivery. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Base64-encoded message. Only returned for a single delivery. */
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
        description: "Id of the delivery. The receiver gets it as `webhook-id`.",
        readOnly: true
      },
      event: {
        type: "string",
        description: "Type of the event.",
        readOnly: true
      },
      date_created: {
        type: "string",
        description: "Time at which the event was accepted, in UTC.",
        format: "date-time",
        readOnly: true
      },
      date_given_up: {
        type: "string",
        description: "Time at which the delivery was given up, in UTC.",
        format: "date-time",
        readOnly: true
      },
      attempts: {
        type: "integer",
        description: "Number of attempts.",
        readOnly: true
      },
      last_failure: {
        type: "string",
        description: "Reason for giving up.",
        readOnly: true
      },
      headers: {
        type: "object",
        description: "Headers of the event. Only returned for a single delivery.",
        additionalProperties: {
          type: "string"
        },
        readOnly: true
      },
      body: {
        type: "string",
        description: "Base64-encoded message. Only returned for a single delivery.",
        contentEncoding: "base64",
        readOnly: true
      }
    }
  },
};
