// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** A person or a program that has a key. */
export interface User {
  /** Names the user in paths. */
  readonly id?: string;
  /** What the audit log calls it; not a name such as those of keys of the environment. */
  readonly name: string;
  /** What it may do in all of the organisation: `read` looks, `write` changes APIs and streams, `users` gives keys, `gateway` fetches deployments. */
  readonly permissions: readonly ("read" | "write" | "users" | "gateway")[];
  /** What it may do with some APIs only, beside `permissions`, which are for all of the organisation. */
  readonly apis?: readonly {
    /** An id or a name, in which `*` stands for any text. */
    readonly api: string;
    /** What the pattern is compared with; the id by default. */
    readonly by?: "id" | "name";
    /** `read` looks, `write` makes and changes. */
    readonly permissions: readonly ("read" | "write")[];
  }[];
  /** When it was made. */
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
        description: "Names the user in paths.",
        readOnly: true
      },
      name: {
        type: "string",
        description: "What the audit log calls it; not a name such as those of keys of the environment.",
        minLength: 1,
        maxLength: 200
      },
      permissions: {
        type: "array",
        description: "What it may do in all of the organisation: `read` looks, `write` changes APIs and streams, `users` gives keys, `gateway` fetches deployments.",
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
        description: "What it may do with some APIs only, beside `permissions`, which are for all of the organisation.",
        maxItems: 100,
        items: {
          type: "object",
          title: "ApiGrant",
          description: "What a key may do with the APIs that a pattern chooses.",
          additionalProperties: false,
          required: [
            "api",
            "permissions"
          ],
          properties: {
            api: {
              type: "string",
              description: "An id or a name, in which `*` stands for any text.",
              minLength: 1,
              maxLength: 200
            },
            by: {
              enum: [
                "id",
                "name"
              ],
              description: "What the pattern is compared with; the id by default."
            },
            permissions: {
              type: "array",
              description: "`read` looks, `write` makes and changes.",
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
        description: "When it was made.",
        readOnly: true
      }
    }
  },
};
