// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Several developers who share keys, requests and apps. */
export interface Team {
  /** Its id, which `by_user` of requests and apps may name. */
  readonly id?: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** What it is called; no other team of the organisation is, in whatever case. */
  readonly name: string;
  /** Whether none of the credentials works, and nothing can be asked for. */
  readonly inactive?: boolean;
  /** When it was made, in UTC. */
  readonly date_created?: string;
  /** Its members, owners first. */
  readonly members?: readonly {
    /** Id of the developer. */
    readonly developer: string;
    /** E-mail address of the developer. */
    readonly email: string;
    /** Owners change the team and its members. */
    readonly role: "owner" | "member";
  }[];
  /** Who has been invited and not answered yet. */
  readonly invitations?: readonly {
    /** E-mail address, in lower case. */
    readonly email: string;
    /** What the developer is to be. */
    readonly role: "owner" | "member";
  }[];
  /** Policies by the id of the key that has them. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** Ids of keys by the policy that they have. */
  readonly subscriptions?: Readonly<Record<string, string>>;
  /** OAuth clients by the policy that their tokens bring, as developers have them. */
  readonly oauth_clients?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** `Team` as JSON Schema 2020-12. */
export const teamSchema: RecordSchema<Team> = {
  name: "Team",
  schema: {
    title: "Team",
    description: "Several developers who share keys, requests and apps.",
    type: "object",
    additionalProperties: false,
    required: [
      "name"
    ],
    properties: {
      id: {
        type: "string",
        description: "Its id, which `by_user` of requests and apps may name.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation it belongs to.",
        readOnly: true
      },
      name: {
        type: "string",
        description: "What it is called; no other team of the organisation is, in whatever case.",
        minLength: 1,
        maxLength: 100
      },
      inactive: {
        type: "boolean",
        description: "Whether none of the credentials works, and nothing can be asked for."
      },
      date_created: {
        type: "string",
        description: "When it was made, in UTC.",
        format: "date-time",
        readOnly: true
      },
      members: {
        type: "array",
        description: "Its members, owners first.",
        items: {
          type: "object",
          required: [
            "developer",
            "email",
            "role"
          ],
          properties: {
            developer: {
              type: "string",
              description: "Id of the developer."
            },
            email: {
              type: "string",
              description: "E-mail address of the developer."
            },
            role: {
              type: "string",
              enum: [
                "owner",
                "member"
              ],
              description: "Owners change the team and its members."
            }
          }
        },
        readOnly: true
      },
      invitations: {
        type: "array",
        description: "Who has been invited and not answered yet.",
        items: {
          type: "object",
          required: [
            "email",
            "role"
          ],
          properties: {
            email: {
              type: "string",
              description: "E-mail address, in lower case."
            },
            role: {
              type: "string",
              enum: [
                "owner",
                "member"
              ],
              description: "What the developer is to be."
            }
          }
        },
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
      oauth_clients: {
        type: "object",
        description: "OAuth clients by the policy that their tokens bring, as developers have them.",
        additionalProperties: {
          type: "array",
          items: {
            type: "object"
          }
        },
        readOnly: true
      }
    }
  },
};
