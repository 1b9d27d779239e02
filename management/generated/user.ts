// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** A person or a program that has a key. */
export interface User {
  /** Id of the user in paths. */
  readonly id?: string;
  /** Name in the audit log. Must not begin with `environment key`. */
  readonly name: string;
  /** Permissions in the whole organisation: `read` reads, `write` changes APIs and streams, `users` issues keys, and `gateway` fetches deployments. */
  readonly permissions: readonly ("read" | "write" | "users" | "gateway")[];
  /** Permissions for some APIs only, in addition to `permissions`, which apply to the whole organisation. */
  readonly apis?: readonly {
    /** Pattern for an id or a name, in which `*` matches any text. */
    readonly api: string;
    /** What the pattern is matched against. Defaults to the id. */
    readonly by?: "id" | "name";
    /** Permissions: `read` reads, `write` creates and changes. */
    readonly permissions: readonly ("read" | "write")[];
  }[];
  /** Time of creation. */
  readonly created_at?: string;
}

/** `User` as JSON Schema 2020-12. */
export const userSchema: RecordSchema<User> = {
  name: "User",
  schema: {
    title: "User",
    description: "A person or a program that has a key.",
    type: "object",
    additionalProperties: false,
    required: [
      "name",
      "permissions"
    ],
    properties: {
      id: {
        type: "string",
        description: "Id of the user in paths.",
        readOnly: true
      },
      name: {
        type: "string",
        description: "Name in the audit log. Must not begin with `environment key`.",
        minLength: 1,
        maxLength: 200
      },
      permissions: {
        type: "array",
        description: "Permissions in the whole organisation: `read` reads, `write` changes APIs and streams, `users` issues keys, and `gateway` fetches deployments.",
        items: {
          enum: [
            "read",
            "write",
            "users",
            "gateway"
          ]
        },
        uniqueItems: true
      },
      apis: {
        type: "array",
        description: "Permissions for some APIs only, in addition to `permissions`, which apply to the whole organisation.",
        maxItems: 100,
        items: {
          type: "object",
          title: "ApiGrant",
          description: "Permissions for the APIs that match a pattern.",
          additionalProperties: false,
          required: [
            "api",
            "permissions"
          ],
          properties: {
            api: {
              type: "string",
              description: "Pattern for an id or a name, in which `*` matches any text.",
              minLength: 1,
              maxLength: 200
            },
            by: {
              enum: [
                "id",
                "name"
              ],
              description: "What the pattern is matched against. Defaults to the id."
            },
            permissions: {
              type: "array",
              description: "Permissions: `read` reads, `write` creates and changes.",
              minItems: 1,
              items: {
                enum: [
                  "read",
                  "write"
                ]
              },
              uniqueItems: true
            }
          }
        }
      },
      created_at: {
        type: "string",
        description: "Time of creation.",
        readOnly: true
      }
    }
  },
};
