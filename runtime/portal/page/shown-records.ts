// The records with which the page shows its branding and pages of text.

import type { RecordSchema } from "../../rest/operation.ts";

/** The branding of the page; texts are empty if no administrator has set them. */
export interface PageBrand {
  readonly name: string;
  readonly product: string;
  /** The logo as a `data:` URL. */
  readonly logo: string;
}

/** The JSON Schema of `PageBrand`. */
export const pageBrandSchema: RecordSchema<PageBrand> = {
  name: "Brand",
  schema: {
    title: "Brand",
    description: "The name and logo of the page.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      name: { type: "string" },
      product: { type: "string" },
      logo: { type: "string", description: "A picture as a `data:` URL; empty if there is none." },
    },
  },
};

/** A page of text. */
export interface OwnText {
  readonly slug: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

/** The JSON Schema of `OwnText`. */
export const ownTextSchema: RecordSchema<OwnText> = {
  name: "Text",
  schema: {
    title: "Text",
    description: "A page of text for developers.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      slug: { type: "string", description: "Its name in addresses." },
      title: { type: "string" },
      text: { type: "string", description: "Markdown." },
    },
  },
};
