// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** A person who requests and has access to APIs. */
export interface Developer {
  /** Id of the developer. */
  readonly id?: string;
  /** E-mail address. Unique among the developers of the organisation, regardless of case. */
  readonly email: string;
  /** New password, or its bcrypt hash. Never returned. */
  readonly password?: string;
  /** Time of creation, in UTC. */
  readonly date_created?: string;
  /** Whether the developer is blocked from logging in and from using any credential. */
  readonly inactive?: boolean;
  /** Organisation that the developer belongs to. */
  readonly org_id?: string;
  /** Policies by key id. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** Key ids by policy. */
  readonly subscriptions?: Readonly<Record<string, string>>;
  /** Further information that was requested from the developer. Stored without change. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Language of the page and of e-mails to the developer, such as `de`. If empty, the language of the portal applies. If absent, the current value is kept. */
  readonly language?: string;
  /** Stored without change. */
  readonly nonce?: string;
  /** Identifier of the developer at another login. Unique among the developers of the organisation. */
  readonly sso_key?: string;
  /** OAuth clients by the policy of their tokens. */
  readonly oauth_clients?: Readonly<Record<string, readonly {
    /** Client ID. */
    readonly client_id: string;
    /** Always empty, because only the hash is stored. */
    readonly secret?: string;
    /** Address that users are redirected to. */
    readonly redirect_uri?: string;
    /** Description of the client. */
    readonly app_description?: string;
    /** Purpose of the client. */
    readonly use_case?: string;
    /** Time of creation, in UTC. */
    readonly date_created?: string;
  }[]>>;
  /** Days after which the password can only be used to change it. 0 means never. */
  readonly password_max_days?: number;
  /** Time at which the password was set, in UTC. In the year 1 if there is no password. */
  readonly password_updated?: string;
  /** Always empty. Hashes of former passwords are stored, but never returned. */
  readonly PWHistory?: readonly string[];
  /** Time at which the password was last verified, in UTC. In the year 1 if it never was. */
  readonly last_login_date?: string;
}

/** `Developer` as JSON Schema 2020-12. */
export const developerSchema: RecordSchema<Developer> = {
  name: "Developer",
  schema: {
    title: "Developer",
    description: "A person who requests and has access to APIs.",
    type: "object",
    additionalProperties: false,
    required: [
      "email"
    ],
    properties: {
      id: {
        type: "string",
        description: "Id of the developer.",
        readOnly: true
      },
      email: {
        type: "string",
        description: "E-mail address. Unique among the developers of the organisation, regardless of case."
      },
      password: {
        type: "string",
        description: "New password, or its bcrypt hash. Never returned.",
        writeOnly: true
      },
      date_created: {
        type: "string",
        description: "Time of creation, in UTC.",
        format: "date-time",
        readOnly: true
      },
      inactive: {
        type: "boolean",
        description: "Whether the developer is blocked from logging in and from using any credential."
      },
      org_id: {
        type: "string",
        description: "Organisation that the developer belongs to.",
        readOnly: true
      },
      keys: {
        type: "object",
        description: "Policies by key id.",
        additionalProperties: {
          type: "array",
          items: {
            type: "string"
          }
        },
        readOnly: true
      },
      subscriptions: {
        type: "object",
        description: "Key ids by policy.",
        additionalProperties: {
          type: "string"
        },
        readOnly: true
      },
      fields: {
        type: "object",
        description: "Further information that was requested from the developer. Stored without change.",
        additionalProperties: {
          type: "string"
        }
      },
      language: {
        type: "string",
        description: "Language of the page and of e-mails to the developer, such as `de`. If empty, the language of the portal applies. If absent, the current value is kept.",
        pattern: "^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$"
      },
      nonce: {
        type: "string",
        description: "Stored without change."
      },
      sso_key: {
        type: "string",
        description: "Identifier of the developer at another login. Unique among the developers of the organisation."
      },
      oauth_clients: {
        type: "object",
        description: "OAuth clients by the policy of their tokens.",
        additionalProperties: {
          type: "array",
          items: {
            type: "object",
            required: [
              "client_id"
            ],
            properties: {
              client_id: {
                type: "string",
                description: "Client ID."
              },
              secret: {
                type: "string",
                description: "Always empty, because only the hash is stored."
              },
              redirect_uri: {
                type: "string",
                description: "Address that users are redirected to."
              },
              app_description: {
                type: "string",
                description: "Description of the client."
              },
              use_case: {
                type: "string",
                description: "Purpose of the client."
              },
              date_created: {
                type: "string",
                description: "Time of creation, in UTC."
              }
            }
          }
        },
        readOnly: true
      },
      password_max_days: {
        type: "integer",
        description: "Days after which the password can only be used to change it. 0 means never.",
        minimum: 0,
        maximum: 100000
      },
      password_updated: {
        type: "string",
        description: "Time at which the password was set, in UTC. In the year 1 if there is no password.",
        format: "date-time",
        readOnly: true
      },
      PWHistory: {
        type: "array",
        description: "Always empty. Hashes of former passwords are stored, but never returned.",
        items: {
          type: "string"
        },
        readOnly: true
      },
      last_login_date: {
        type: "string",
        description: "Time at which the password was last verified, in UTC. In the year 1 if it never was.",
        format: "date-time",
        readOnly: true
      }
    }
  },
};
