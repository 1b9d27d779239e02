// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Pages of text for developers. */
export interface Texts {
  /** Its id. */
  readonly id?: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** The pages, in the order of the navigation. */
  readonly pages?: readonly {
    /** What addresses name it by; no other page has it. */
    readonly slug: string;
    /** Its title. */
    readonly title: string;
    /** Markdown; markup of HTML is shown as text. */
    readonly text: string;
    /** Whether developers see it. */
    readonly show?: boolean;
  }[];
}

/** `Texts` as JSON Schema 2020-12. */
export const textsSchema: RecordSchema<Texts> = {
  name: "Texts",
  schema: {
    title: "Texts",
    description: "Pages of text for developers.",
    type: "object",
    additionalProperties: false,
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
      pages: {
        type: "array",
        description: "The pages, in the order of the navigation.",
        maxItems: 50,
        items: {
          type: "object",
          additionalProperties: false,
          required: [
            "slug",
            "title",
            "text"
          ],
          properties: {
            slug: {
              type: "string",
              description: "What addresses name it by; no other page has it.",
              pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
              maxLength: 60
            },
            title: {
              type: "string",
              description: "Its title.",
              minLength: 1,
              maxLength: 80
            },
            text: {
              type: "string",
              description: "Markdown; markup of HTML is shown as text.",
              maxLength: 50000
            },
            show: {
              type: "boolean",
              description: "Whether developers see it."
            }
          }
        }
      }
    }
  },
};
