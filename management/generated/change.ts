// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** Something that was changed. */
export interface Change {
  /** Counts the changes of the organisation. */
  readonly number: number;
  /** When, in UTC. */
  readonly at: string;
  /** The name of the key. */
  readonly actor: string;
  /** The user whose key it was, also under another name; null for keys of the environment. */
  readonly actor_id?: string | null;
  /** The operation. */
  readonly action: string;
  /** The id of what was changed. */
  readonly object: string;
  /** A stream of it, or a version. */
  readonly detail?: string | null;
  /** Hex SHA-256 of the definition. */
  readonly before_digest?: string | null;
  /** Hex SHA-256 of the definition. */
  readonly after_digest?: string | null;
}

/** `Change` as JSON Schema 2020-12. */
export const changeSchema: RecordSchema<Change> = {
  name: "Change",
  schema: {
    title: "Change",
    description: "Something that was changed.",
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
        description: "Counts the changes of the organisation."
      },
      at: {
        type: "string",
        description: "When, in UTC."
      },
      actor: {
        type: "string",
        description: "The name of the key."
      },
      actor_id: {
        type: [
          "string",
          "null"
        ],
        description: "The user whose key it was, also under another name; null for keys of the environment."
      },
      action: {
        type: "string",
        description: "The operation."
      },
      object: {
        type: "string",
        description: "The id of what was changed."
      },
      detail: {
        type: [
          "string",
          "null"
        ],
        description: "A stream of it, or a version."
      },
      before_digest: {
        type: [
          "string",
          "null"
        ],
        description: "Hex SHA-256 of the definition."
      },
      after_digest: {
        type: [
          "string",
          "null"
        ],
        description: "Hex SHA-256 of the definition."
      }
    }
  },
};
