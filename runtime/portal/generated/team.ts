// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Several developers who share keys, requests and apps. */
export interface Team {
  /** Id of the team. `by_user` of requests and apps may refer to it. */
  readonly id?: string;
  /** Organisation that the team belongs to. */
  readonly org_id?: string;
  /** Name of the team. Unique among the teams of the organisation, regardless of case. */
  readonly name: string;
  /** Whether the team is blocked: none of its credentials works, and it cannot request anything. */
  readonly inactive?: boolean;
  /** Time of creation, in UTC. */
  readonly date_created?: string;
  /** Members of the team, owners first. */
  readonly members?: readonly {
    /** Id of the developer. */
    readonly developer: string;
    /** E-mail address of the developer. */
    readonly email: string;
    /** Role of the member. Owners change the team and its members. */
    readonly role: "owner" | "member";
  }[];
  /** Pending invitations. */
  readonly invitations?: readonly {
    /** E-mail address, in lower case. */
    readonly email: string;
    /** Role that the developer is invited to. */
    readonly role: "owner" | "member";
  }[];
  /** Policies by key id. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** Key ids by policy. */
  readonly subscriptions?: Readonly<Record<string, string>>;
  /** OAuth clients by the policy of their tokens, in the same form as for developers. */
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
        description: "Id of the team. `by_user` of requests and apps may refer to it.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation that the team belongs to.",
        readOnly: true
      },
      name: {
        type: "string",
        description: "Name of the team. Unique among the teams of the organisation, regardless of case.",
        minLength: 1,
        maxLength: 100
      },
      inactive: {
        type: "boolean",
        description: "Whether the team is blocked: none of its credentials works, and it cannot request anything."
      },
      date_created: {
        type: "string",
        description: "Time of creation, in UTC.",
        format: "date-time",
        readOnly: true
      },
      members: {
        type: "array",
        description: "Members of the team, owners first.",
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
              description: "Role of the member. Owners change the team and its members."
            }
          }
        },
        readOnly: true
      },
      invitations: {
        type: "array",
        description: "Pending invitations.",
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
              description: "Role that the developer is invited to."
            }
          }
        },
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
      oauth_clients: {
        type: "object",
        description: "OAuth clients by the policy of their tokens, in the same form as for developers.",
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
