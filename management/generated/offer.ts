// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** Catalogue entry of an API. */
export interface Offer {
  /** Policy that grants access: a policy of the portal, or of the gateways' `gateway.yaml`. */
  readonly policy_id: string;
  /** Display name. Defaults to the name of the API. */
  readonly name?: string;
  /** Short description, in one line. */
  readonly short_description?: string;
  /** Long description. */
  readonly long_description?: string;
  /** Whether pages show the entry. Defaults to `true`. */
  readonly show?: boolean;
  /** Version that requests specify. Defaults to `v2`. */
  readonly version?: string;
  /** Type of the issued credential: `basic` for a user, `oauth` for a client, and any other value for a key. */
  readonly auth_type?: string;
  /** Whether the API needs no credential. */
  readonly is_keyless?: boolean;
  /** Makes the API a product with events that apps can subscribe to. */
  readonly webhooks?: {
    /** Whether apps may subscribe. */
    readonly enabled?: boolean;
    /** Types of events that apps may subscribe to. */
    readonly events?: readonly string[];
  };
}

/** `Offer` as JSON Schema 2020-12. */
export const offerSchema: RecordSchema<Offer> = {
  name: "Offer",
  schema: {
    title: "Offer",
    description: "Catalogue entry of an API.",
    type: "object",
    additionalProperties: false,
    required: [
      "policy_id"
    ],
    properties: {
      policy_id: {
        type: "string",
        minLength: 1,
        description: "Policy that grants access: a policy of the portal, or of the gateways' `gateway.yaml`."
      },
      name: {
        type: "string",
        minLength: 1,
        description: "Display name. Defaults to the name of the API."
      },
      short_description: {
        type: "string",
        description: "Short description, in one line."
      },
      long_description: {
        type: "string",
        description: "Long description."
      },
      show: {
        type: "boolean",
        description: "Whether pages show the entry. Defaults to `true`."
      },
      version: {
        type: "string",
        description: "Version that requests specify. Defaults to `v2`."
      },
      auth_type: {
        type: "string",
        description: "Type of the issued credential: `basic` for a user, `oauth` for a client, and any other value for a key."
      },
      is_keyless: {
        type: "boolean",
        description: "Whether the API needs no credential."
      },
      webhooks: {
        type: "object",
        additionalProperties: false,
        required: [],
        description: "Makes the API a product with events that apps can subscribe to.",
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
            description: "Types of events that apps may subscribe to."
          }
        }
      }
    }
  },
};
