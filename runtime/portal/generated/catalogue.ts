// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";
import { type Configuration, mailOptionsFields } from "./configuration.ts";

/** What developers may ask for. */
export interface Catalogue {
  /** Its id. */
  readonly id?: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** Address of those who look after it; kept as it is. */
  readonly email?: string;
  /** Its entries. */
  readonly apis?: readonly {
    /** What people call it. */
    readonly name?: string;
    /** What it is, in a line. */
    readonly short_description?: string;
    /** What it is, at length. */
    readonly long_description?: string;
    /** Whether pages show it. */
    readonly show?: boolean;
    /** Id of an API; kept as it is. */
    readonly api_id?: string;
    /** Policy that requests for it ask for. */
    readonly policy_id?: string;
    /** Id of its documentation. */
    readonly documentation?: string;
    /** Version that requests name, such as `v2`. */
    readonly version?: string;
    /** Whether it needs no credential; for pages. */
    readonly is_keyless?: boolean;
    /** Whatever else there is to say; kept as it is. */
    readonly fields?: Readonly<Record<string, string>>;
    /** What is given: `basic` for a user, `oauth` for a client, `jwt` for a key that signs tokens, `hmac` for one that signs requests, `mutualTLS` for one that a certificate stands for, anything else for a key. */
    readonly auth_type?: string;
    /** What makes it a product that apps subscribe to. */
    readonly webhooks?: {
      /** Whether apps may subscribe. */
      readonly enabled?: boolean;
      /** Types of events that they may subscribe to. */
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
    description: "What developers may ask for.",
    type: "object",
    additionalProperties: false,
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
      email: {
        type: "string",
        description: "Address of those who look after it; kept as it is."
      },
      apis: {
        type: "array",
        description: "Its entries.",
        items: {
          type: "object",
          description: "One of the things to ask for.",
          additionalProperties: false,
          properties: {
            name: {
              type: "string",
              description: "What people call it."
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
              description: "Whether pages show it."
            },
            api_id: {
              type: "string",
              description: "Id of an API; kept as it is."
            },
            policy_id: {
              type: "string",
              description: "Policy that requests for it ask for."
            },
            documentation: {
              type: "string",
              description: "Id of its documentation."
            },
            version: {
              type: "string",
              description: "Version that requests name, such as `v2`."
            },
            is_keyless: {
              type: "boolean",
              description: "Whether it needs no credential; for pages."
            },
            fields: {
              type: "object",
              description: "Whatever else there is to say; kept as it is.",
              additionalProperties: {
                type: "string"
              }
            },
            auth_type: {
              type: "string",
              description: "What is given: `basic` for a user, `oauth` for a client, `jwt` for a key that signs tokens, `hmac` for one that signs requests, `mutualTLS` for one that a certificate stands for, anything else for a key."
            },
            webhooks: {
              type: "object",
              description: "What makes it a product that apps subscribe to.",
              additionalProperties: false,
              properties: {
                enabled: {
                  type: "boolean",
                  description: "Whether apps may subscribe."
                },
                events: {
                  type: "array",
                  description: "Types of events that they may subscribe to.",
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
                  description: "Its id."
                },
                org_id: {
                  type: "string",
                  description: "Organisation it belongs to."
                },
                signup_fields: {
                  type: "array",
                  description: "What people are asked when they sign up: names of fields, or objects with `name`, `label` and `required`; other items are kept for pages.",
                  items: {}
                },
                key_request_fields: {
                  type: "array",
                  description: "What is asked of those who ask for access; for pages.",
                  items: {}
                },
                require_key_approval: {
                  type: "boolean",
                  description: "Whether requests wait for approval; `false` approves them as they are made."
                },
                redirect_on_key_request: {
                  type: "boolean",
                  description: "Whether `redirect_to` is gone to after a request; for pages."
                },
                redirect_to: {
                  type: "string",
                  description: "Where to; for pages."
                },
                enable_multi_selection: {
                  type: "boolean",
                  description: "Whether requests extend a key that the developer has."
                },
                disable_login: {
                  type: "boolean",
                  description: "Whether pages disable logging in; for pages."
                },
                disable_signup: {
                  type: "boolean",
                  description: "Whether pages disable signing up; for pages."
                },
                disable_auto_login: {
                  type: "boolean",
                  description: "Whether those who signed up have to log in afterwards."
                },
                catalogue_login_only: {
                  type: "boolean",
                  description: "Whether only those who logged in see the catalogue; for pages."
                },
                oauth_usage_limit: {
                  type: "integer",
                  description: "Most tokens of an OAuth client that hold at once; -1 or 0 for any number.",
                  minimum: -1
                },
                email: {
                  type: "string",
                  description: "Address of those who run the portal; kept as it is."
                },
                mail_options: {
                  type: "object",
                  description: "E-mails to developers.",
                  additionalProperties: false,
                  properties: mailOptionsFields
                },
                override: {
                  type: "boolean",
                  description: "In a catalogue entry: whether it takes the place of the organisation's configuration."
                },
                HashKeys: {
                  type: "boolean",
                  description: "Kept as it is: of keys nothing but hashes is stored anyway."
                }
              }
            }
          }
        }
      }
    }
  },
};
