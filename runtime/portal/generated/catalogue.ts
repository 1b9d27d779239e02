// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";
import { type Configuration, mailOptionsFields } from "./configuration.ts";

/** Products that developers may request access to. */
export interface Catalogue {
  /** Id of the catalogue. */
  readonly id?: string;
  /** Organisation that the catalogue belongs to. */
  readonly org_id?: string;
  /** Address of the owner. Stored without change. */
  readonly email?: string;
  /** Entries of the catalogue. */
  readonly apis?: readonly {
    /** Display name. */
    readonly name?: string;
    /** Short description, in one line. */
    readonly short_description?: string;
    /** Long description. */
    readonly long_description?: string;
    /** Whether pages show the entry. */
    readonly show?: boolean;
    /** Id of an API. Stored without change. */
    readonly api_id?: string;
    /** Policy that requests for the entry ask for. */
    readonly policy_id?: string;
    /** Id of the documentation. */
    readonly documentation?: string;
    /** Version that requests specify, such as `v2`. */
    readonly version?: string;
    /** Whether the API needs no credential. Used by pages only. */
    readonly is_keyless?: boolean;
    /** Further information. Stored without change. */
    readonly fields?: Readonly<Record<string, string>>;
    /** Type of the issued credential: `basic` for a user, `oauth` for a client, `jwt` for a key that signs tokens, `hmac` for a key that signs requests, `mutualTLS` for a key that a certificate stands for, and any other value for a key. */
    readonly auth_type?: string;
    /** Makes the entry a product with events that apps can subscribe to. */
    readonly webhooks?: {
      /** Whether apps may subscribe. */
      readonly enabled?: boolean;
      /** Types of events that apps may subscribe to. */
      readonly events?: readonly string[];
    };
    /** A configuration of its own, which counts where `override` is `true`. */
    readonly config?: Configuration;
  }[];
}

/** `Catalogue` as JSON Schema 2020-12. */
export const catalogueSchema: RecordSchema<Catalogue> = {
  name: "Catalogue",
  schema: {
    title: "Catalogue",
    description: "Products that developers may request access to.",
    type: "object",
    additionalProperties: false,
    properties: {
      id: {
        type: "string",
        description: "Id of the catalogue.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation that the catalogue belongs to.",
        readOnly: true
      },
      email: {
        type: "string",
        description: "Address of the owner. Stored without change."
      },
      apis: {
        type: "array",
        description: "Entries of the catalogue.",
        items: {
          type: "object",
          description: "A catalogue entry.",
          additionalProperties: false,
          properties: {
            name: {
              type: "string",
              description: "Display name."
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
              description: "Whether pages show the entry."
            },
            api_id: {
              type: "string",
              description: "Id of an API. Stored without change."
            },
            policy_id: {
              type: "string",
              description: "Policy that requests for the entry ask for."
            },
            documentation: {
              type: "string",
              description: "Id of the documentation."
            },
            version: {
              type: "string",
              description: "Version that requests specify, such as `v2`."
            },
            is_keyless: {
              type: "boolean",
              description: "Whether the API needs no credential. Used by pages only."
            },
            fields: {
              type: "object",
              description: "Further information. Stored without change.",
              additionalProperties: {
                type: "string"
              }
            },
            auth_type: {
              type: "string",
              description: "Type of the issued credential: `basic` for a user, `oauth` for a client, `jwt` for a key that signs tokens, `hmac` for a key that signs requests, `mutualTLS` for a key that a certificate stands for, and any other value for a key."
            },
            webhooks: {
              type: "object",
              description: "Makes the entry a product with events that apps can subscribe to.",
              additionalProperties: false,
              properties: {
                enabled: {
                  type: "boolean",
                  description: "Whether apps may subscribe."
                },
                events: {
                  type: "array",
                  description: "Types of events that apps may subscribe to.",
                  items: {
                    type: "string"
                  }
                }
              }
            },
            config: {
              type: "object",
              description: "A configuration of its own, which counts where `override` is `true`.",
              additionalProperties: false,
              properties: {
                id: {
                  type: "string",
                  description: "Id of the configuration."
                },
                org_id: {
                  type: "string",
                  description: "Organisation that the configuration belongs to."
                },
                signup_fields: {
                  type: "array",
                  description: "Questions at sign-up: names of fields, or objects with `name`, `label` and `required`. Other items are stored for pages.",
                  items: {}
                },
                key_request_fields: {
                  type: "array",
                  description: "Questions for access requests. Used by pages only.",
                  items: {}
                },
                require_key_approval: {
                  type: "boolean",
                  description: "Whether requests wait for approval. `false` approves them when they are made."
                },
                redirect_on_key_request: {
                  type: "boolean",
                  description: "Whether to redirect to `redirect_to` after a request. Used by pages only."
                },
                redirect_to: {
                  type: "string",
                  description: "Address to redirect to. Used by pages only."
                },
                enable_multi_selection: {
                  type: "boolean",
                  description: "Whether requests extend an existing key of the developer."
                },
                disable_login: {
                  type: "boolean",
                  description: "Whether pages disable login. Used by pages only."
                },
                disable_signup: {
                  type: "boolean",
                  description: "Whether pages disable sign-up. Used by pages only."
                },
                disable_auto_login: {
                  type: "boolean",
                  description: "Whether users have to log in after sign-up."
                },
                catalogue_login_only: {
                  type: "boolean",
                  description: "Whether only logged-in users see the catalogue. Used by pages only."
                },
                oauth_usage_limit: {
                  type: "integer",
                  description: "Maximum number of valid access tokens of an OAuth client at once. -1 and 0 mean 1000.",
                  minimum: -1
                },
                email: {
                  type: "string",
                  description: "Address of the portal operators. Stored without change."
                },
                mail_options: {
                  type: "object",
                  description: "E-mails to developers.",
                  additionalProperties: false,
                  properties: mailOptionsFields
                },
                override: {
                  type: "boolean",
                  description: "In a catalogue entry: whether it replaces the configuration of the organisation."
                },
                HashKeys: {
                  type: "boolean",
                  description: "Stored without change. Keys are always stored as hashes only."
                }
              }
            }
          }
        }
      }
    }
  },
};
