// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** A person who asks for access, and has it. */
export interface Developer {
  /** Its id. */
  readonly id?: string;
  /** E-mail address, which no other developer of the organisation has, in whatever case. */
  readonly email: string;
  /** A new password, or the bcrypt hash of one; it is in no answer. */
  readonly password?: string;
  /** When the record was made, in UTC. */
  readonly date_created?: string;
  /** Whether the developer can neither log in nor use any credential. */
  readonly inactive?: boolean;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** Policies by the id of the key that has them. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** Ids of keys by the policy that they have. */
  readonly subscriptions?: Readonly<Record<string, string>>;
  /** Whatever else was asked of the developer; kept as it is. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Language of the page and of e-mails to the developer, such as `de`; empty for that of the portal; absent leaves the present one. */
  readonly language?: string;
  /** Kept as it is. */
  readonly nonce?: string;
  /** What another login knows the developer by; no other developer of the organisation has it. */
  readonly sso_key?: string;
  /** OAuth clients by the policy that their tokens bring. */
  readonly oauth_clients?: Readonly<Record<string, readonly {
    /** Name of the client. */
    readonly client_id: string;
    /** Always empty: only its hash is kept. */
    readonly secret?: string;
    /** Where its users go back to. */
    readonly redirect_uri?: string;
    /** What the client is. */
    readonly app_description?: string;
    /** What it is for. */
    readonly use_case?: string;
    /** When it was made, in UTC. */
    readonly date_created?: string;
  }[]>>;
  /** Days after which the password is good for nothing but to be changed; 0 for never. */
  readonly password_max_days?: number;
  /** When the password was set, in UTC; in the year 1 where there is none. */
  readonly password_updated?: string;
  /** Always empty: hashes of former passwords are stored, but never returned. */
  readonly PWHistory?: readonly string[];
  /** When the password was verified last, in UTC; in the year 1 where it never was. */
  readonly last_login_date?: string;
}

/** `Developer` as JSON Schema 2020-12. */
export const developerSchema: RecordSchema<Developer> = {
  name: "Developer",
  schema: {
    title: "Developer",
    description: "A person who asks for access, and has it.",
    type: "object",
    additionalProperties: false,
    required: [
      "email"
    ],
    properties: {
      id: {
        type: "string",
        description: "Its id.",
        readOnly: true
      },
      email: {
        type: "string",
        description: "E-mail address, which no other developer of the organisation has, in whatever case."
      },
      password: {
        type: "string",
        description: "A new password, or the bcrypt hash of one; it is in no answer.",
        writeOnly: true
      },
      date_created: {
        type: "string",
        description: "When the record was made, in UTC.",
        format: "date-time",
        readOnly: true
      },
      inactive: {
        type: "boolean",
        description: "Whether the developer can neither log in nor use any credential."
      },
      org_id: {
        type: "string",
        description: "Organisation it belongs to.",
        readOnly: true
      },
      keys: {
        type: "object",
        description: "Policies by the id of the key that has them.",
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
        description: "Ids of keys by the policy that they have.",
        additionalProperties: {
          type: "string"
        },
        readOnly: true
      },
      fields: {
        type: "object",
        description: "Whatever else was asked of the developer; kept as it is.",
        additionalProperties: {
          type: "string"
        }
      },
      language: {
        type: "string",
        description: "Language of the page and of e-mails to the developer, such as `de`; empty for that of the portal; absent leaves the present one.",
        pattern: "^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$"
      },
      nonce: {
        type: "string",
        description: "Kept as it is."
      },
      sso_key: {
        type: "string",
        description: "What another login knows the developer by; no other developer of the organisation has it."
      },
      oauth_clients: {
        type: "object",
        description: "OAuth clients by the policy that their tokens bring.",
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
                description: "Name of the client."
              },
              secret: {
                type: "string",
                description: "Always empty: only its hash is kept."
              },
              redirect_uri: {
                type: "string",
                description: "Where its users go back to."
              },
              app_description: {
                type: "string",
                description: "What the client is."
              },
              use_case: {
                type: "string",
                description: "What it is for."
              },
              date_created: {
                type: "string",
                description: "When it was made, in UTC."
              }
            }
          }
        },
        readOnly: true
      },
      password_max_days: {
        type: "integer",
        description: "Days after which the password is good for nothing but to be changed; 0 for never.",
        minimum: 0,
        maximum: 100000
      },
      password_updated: {
        type: "string",
        description: "When the password was set, in UTC; in the year 1 where there is none.",
        format: "date-time",
        readOnly: true
      },
      PWHistory: {
        type: "array",
        description: "Always empty: hashes of former passwords are stored, but never returned.",
        items: {
          type: "string"
        },
        readOnly: true
      },
      last_login_date: {
        type: "string",
        description: "When the password was verified last, in UTC; in the year 1 where it never was.",
        format: "date-time",
        readOnly: true
      }
    }
  },
};
