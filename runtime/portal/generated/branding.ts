// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** How the page of the portal looks. */
export interface Branding {
  /** Its id. */
  readonly id?: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** Name of the portal. */
  readonly name?: string;
  /** What stands below the name. */
  readonly product?: string;
  /** Colour of links and buttons by day, as `#rrggbb`. */
  readonly accent?: string;
  /** The same by night. */
  readonly accent_dark?: string;
  /** Colour behind the navigation, as `#rrggbb`. */
  readonly side?: string;
  /** A picture in base64: PNG, JPEG or WebP of at most 64 KiB. */
  readonly logo?: string;
  /** Rules of one's own. The policy of the page lets them load nothing. */
  readonly css?: string;
}

/** `Branding` as JSON Schema 2020-12. */
export const brandingSchema: RecordSchema<Branding> = {
  name: "Branding",
  schema: {
    title: "Branding",
    description: "How the page of the portal looks.",
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
      name: {
        type: "string",
        description: "Name of the portal.",
        maxLength: 60
      },
      product: {
        type: "string",
        description: "What stands below the name.",
        maxLength: 80
      },
      accent: {
        type: "string",
        description: "Colour of links and buttons by day, as `#rrggbb`.",
        pattern: "^#[0-9a-fA-F]{6}$"
      },
      accent_dark: {
        type: "string",
        description: "The same by night.",
        pattern: "^#[0-9a-fA-F]{6}$"
      },
      side: {
        type: "string",
        description: "Colour behind the navigation, as `#rrggbb`.",
        pattern: "^#[0-9a-fA-F]{6}$"
      },
      logo: {
        type: "string",
        description: "A picture in base64: PNG, JPEG or WebP of at most 64 KiB.",
        maxLength: 87384
      },
      css: {
        type: "string",
        description: "Rules of one's own. The policy of the page lets them load nothing.",
        maxLength: 20000
      }
    }
  },
};
