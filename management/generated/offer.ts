// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** What the catalogue says of an API. */
export interface Offer {
  /** What access is given by: a policy of the portal or of the gateways' `gateway.yaml`. */
  readonly policy_id: string;
  /** What people call it; the name of the API by default. */
  readonly name?: string;
  /** What it is, in a line. */
  readonly short_description?: string;
  /** What it is, at length. */
  readonly long_description?: string;
  /** Whether pages show it; `true` by default. */
  readonly show?: boolean;
  /** Version that requests name; `v2` by default. */
  readonly version?: string;
  /** What is given: `basic` for a user, `oauth` for a client, anything else for a key. */
  readonly auth_type?: string;
  /** Whether it needs no credential. */
  readonly is_keyless?: boolean;
  /** What makes it a product that apps subscribe to. */
  readonly webhooks?: {
    /** Whether apps may subscribe. */
    readonly enabled?: boolean;
    /** Types of events that they may subscribe to. */
    readonly events?: readonly string[];
  };
}

/** `Offer` as JSON Schema 2020-12. */
export const offerSchema: RecordSchema<Offer> = {
  name: "Offer",
  schema: {
    title: "Offer",
    description: "What the catalogue says of an API.",
    type: "object",
    additionalProperties: false,
    required: [
      "policy_id"
    ],
    properties: {
      policy_id: {
        type: "string",
        minLength: 1,
        description: "What access is given by: a policy of the portal or of the gateways' `gateway.yaml`."
      },
      name: {
        type: "string",
        minLength: 1,
        description: "What people call it; the name of the API by default."
      },
      short_description: {
        type: "string",
        description: "What it is, in a line."
      },
      long_description: {
        type: "string",
        description: "What it is, at length."
      },
      show: {
        type: "boolean",
        description: "Whether pages show it; `true` by default."
      },
      version: {
        type: "string",
        description: "Version that requests name; `v2` by default."
      },
      auth_type: {
        type: "string",
        description: "What is given: `basic` for a user, `oauth` for a client, anything else for a key."
      },
      is_keyless: {
        type: "boolean",
        description: "Whether it needs no credential."
      },
      webhooks: {
        type: "object",
        additionalProperties: false,
        required: [],
        description: "What makes it a product that apps subscribe to.",
        properties: {
          enabled: {
            type: "boolean",
            description: "Whether apps may subscribe."
          },
          events: {
            type: "array",
            items: {
              type: "string"
            },
            description: "Types of events that they may subscribe to."
          }
        }
      }
    }
  },
};
