// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** A change in the audit log. */
export interface Change {
  /** Sequence number of the change in the organisation. */
  readonly number: number;
  /** Time of the change, in UTC. */
  readonly at: string;
  /** Name of the key. */
  readonly actor: string;
  /** User who owns the key, even if renamed since. Null for keys from the environment. */
  readonly actor_id?: string | null;
  /** Operation that made the change. */
  readonly action: string;
  /** Id of the changed object. */
  readonly object: string;
  /** Affected stream or version of the object. */
  readonly detail?: string | null;
  /** SHA-256 hash of the definition before the change, in hexadecimal digits. */
  readonly before_digest?: string | null;
  /** SHA-256 hash of the definition after the change, in hexadecimal digits. */
  readonly after_digest?: string | null;
}

/** `Change` as JSON Schema 2020-12. */
export const changeSchema: RecordSchema<Change> = {
  name: "Change",
  schema: {
    title: "Change",
    description: "A change in the audit log.",
    type: "object",
    required: [
      "number",
      "at",
      "actor",
      "action",
      "object"
    ],
    properties: {
      number: {
        type: "integer",
        description: "Sequence number of the change in the organisation."
      },
      at: {
        type: "string",
        description: "Time of the change, in UTC."
      },
      actor: {
        type: "string",
        description: "Name of the key."
      },
      actor_id: {
        type: [
          "string",
          "null"
        ],
        description: "User who owns the key, even if renamed since. Null for keys from the environment."
      },
      action: {
        type: "string",
        description: "Operation that made the change."
      },
      object: {
        type: "string",
        description: "Id of the changed object."
      },
      detail: {
        type: [
          "string",
          "null"
        ],
        description: "Affected stream or version of the object."
      },
      before_digest: {
        type: [
          "string",
          "null"
        ],
        description: "SHA-256 hash of the definition before the change, in hexadecimal digits."
      },
      after_digest: {
        type: [
          "string",
          "null"
        ],
        description: "SHA-256 hash of the definition after the change, in hexadecimal digits."
      }
    }
  },
};
