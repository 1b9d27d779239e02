// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Text pages for developers. */
export interface Texts {
  /** Id of the texts. */
  readonly id?: string;
  /** Organisation that the texts belong to. */
  readonly org_id?: string;
  /** Pages, in the order of the navigation. */
  readonly pages?: readonly {
    /** Identifier of the page in addresses. Unique among the pages. */
    readonly slug: string;
    /** Title of the page. */
    readonly title: string;
    /** Content of the page in Markdown. HTML markup is shown as text. */
    readonly text: string;
    /** Whether developers see the page. */
    readonly show?: boolean;
  }[];
}

/** `Texts` as JSON Schema 2020-12. */
export const textsSchema: RecordSchema<Texts> = {
  name: "Texts",
  schema: {
    title: "Texts",
    description: "Text pages for developers.",
    type: "object",
    additionalProperties: false,
    properties: {
      id: {
        type: "string",
        description: "Id of the texts.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation that the texts belong to.",
        readOnly: true
      },
      pages: {
        type: "array",
        description: "Pages, in the order of the navigation.",
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
              description: "Identifier of the page in addresses. Unique among the pages.",
              pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
              maxLength: 60
            },
            title: {
              type: "string",
              description: "Title of the page.",
              minLength: 1,
              maxLength: 80
            },
            text: {
              type: "string",
              description: "Content of the page in Markdown. HTML markup is shown as text.",
              maxLength: 50000
            },
            show: {
              type: "boolean",
              description: "Whether developers see the page."
            }
          }
        }
      }
    }
  },
};
