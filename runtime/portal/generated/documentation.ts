// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** What tells developers how to use an API. */
export interface Documentation {
  /** Its id. */
  readonly id?: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** Id of the API. */
  readonly api_id?: string;
  /** What the document is. */
  readonly doc_type?: "swagger";
  /** The document in base64 (RFC 4648, section 4). */
  readonly documentation: string;
  /** When it was made, in UTC. */
  readonly date_created?: string;
}

/** `Documentation` as JSON Schema 2020-12. */
export const documentationSchema: RecordSchema<Documentation> = {
  name: "Documentation",
  schema: {
    title: "Documentation",
    description: "What tells developers how to use an API.",
    type: "object",
    additionalProperties: false,
    required: [
      "documentation"
    ],
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
      api_id: {
        type: "string",
        description: "Id of the API."
      },
      doc_type: {
        type: "string",
        description: "What the document is.",
        enum: [
          "swagger"
        ]
      },
      documentation: {
        type: "string",
        description: "The document in base64 (RFC 4648, section 4).",
        minLength: 1
      },
      date_created: {
        type: "string",
        description: "When it was made, in UTC.",
        format: "date-time",
        readOnly: true
      }
    }
  },
};
