// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Documentation of an API for developers. */
export interface Documentation {
  /** Id of the documentation. */
  readonly id?: string;
  /** Organisation that the documentation belongs to. */
  readonly org_id?: string;
  /** Id of the API. */
  readonly api_id?: string;
  /** Type of the document. */
  readonly doc_type?: "swagger";
  /** Base64-encoded document (RFC 4648, section 4). */
  readonly documentation: string;
  /** Time of creation, in UTC. */
  readonly date_created?: string;
}

/** `Documentation` as JSON Schema 2020-12. */
export const documentationSchema: RecordSchema<Documentation> = {
  name: "Documentation",
  schema: {
    title: "Documentation",
    description: "Documentation of an API for developers.",
    type: "object",
    additionalProperties: false,
    required: [
      "documentation"
    ],
    properties: {
      id: {
        type: "string",
        description: "Id of the documentation.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation that the documentation belongs to.",
        readOnly: true
      },
      api_id: {
        type: "string",
        description: "Id of the API."
      },
      doc_type: {
        type: "string",
        description: "Type of the document.",
        enum: [
          "swagger"
        ]
      },
      documentation: {
        type: "string",
        description: "Base64-encoded document (RFC 4648, section 4).",
        minLength: 1
      },
      date_created: {
        type: "string",
        description: "Time of creation, in UTC.",
        format: "date-time",
        readOnly: true
      }
    }
  },
};
