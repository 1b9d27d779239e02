// What the page shows of what administrators made of it: its brand, and pages of text.

import type { RecordSchema } from "../../rest/operation.ts";

/** What the page calls itself; empty texts where an administrator has said nothing. */
export interface PageBrand {
  readonly name: string;
  readonly product: string;
  /** Address of the logo, which holds it. */
  readonly logo: string;
}

/** The same as JSON Schema. */
export const pageBrandSchema: RecordSchema<PageBrand> = {
  name: "Brand",
  schema: {
    title: "Brand",
    description: "What the page calls itself.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      name: { type: "string" },
      product: { type: "string" },
      logo: { type: "string", description: "A picture as a `data:` address; empty for none." },
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

/** The same as JSON Schema. */
export const ownTextSchema: RecordSchema<OwnText> = {
  name: "Text",
  schema: {
    title: "Text",
    description: "A page of text for developers.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      slug: { type: "string", description: "What addresses name it by." },
      title: { type: "string" },
      text: { type: "string", description: "Markdown." },
    },
  },
};
