// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** A person or a program that has a key. */
export interface User {
  /** Names the user in paths. */
  readonly id?: string;
  /** What the audit log calls it; not a name such as those of keys of the environment. */
  readonly name: string;
  /** `read` looks, `write` changes APIs and streams, `users` gives keys, `gateway` fetches deployments. */
  readonly permissions: readonly ("read" | "write" | "users" | "gateway")[];
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
        description: "`read` looks, `write` changes APIs and streams, `users` gives keys, `gateway` fetches deployments.",
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
      created_at: {
        type: "string",
        description: "When it was made.",
        readOnly: true
      }
    }
  },
};
