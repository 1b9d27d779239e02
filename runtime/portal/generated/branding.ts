// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Appearance of the portal page. */
export interface Branding {
  /** Id of the branding. */
  readonly id?: string;
  /** Organisation that the branding belongs to. */
  readonly org_id?: string;
  /** Name of the portal. */
  readonly name?: string;
  /** Text below the name. */
  readonly product?: string;
  /** Color of links and buttons in light mode, as `#rrggbb`. */
  readonly accent?: string;
  /** Color of links and buttons in dark mode, as `#rrggbb`. */
  readonly accent_dark?: string;
  /** Background color of the navigation, as `#rrggbb`. */
  readonly side?: string;
  /** Base64-encoded image: PNG, JPEG or WebP, at most 64 KiB. */
  readonly logo?: string;
  /** Custom CSS rules. The content security policy of the page prevents them from loading anything. */
  readonly css?: string;
}

/** `Branding` as JSON Schema 2020-12. */
export const brandingSchema: RecordSchema<Branding> = {
  name: "Branding",
  schema: {
    title: "Branding",
    description: "Appearance of the portal page.",
    type: "object",
    additionalProperties: false,
    properties: {
      id: {
        type: "string",
        description: "Id of the branding.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation that the branding belongs to.",
        readOnly: true
      },
      name: {
        type: "string",
        description: "Name of the portal.",
        maxLength: 60
      },
      product: {
        type: "string",
        description: "Text below the name.",
        maxLength: 80
      },
      accent: {
        type: "string",
        description: "Color of links and buttons in light mode, as `#rrggbb`.",
        pattern: "^#[0-9a-fA-F]{6}$"
      },
      accent_dark: {
        type: "string",
        description: "Color of links and buttons in dark mode, as `#rrggbb`.",
        pattern: "^#[0-9a-fA-F]{6}$"
      },
      side: {
        type: "string",
        description: "Background color of the navigation, as `#rrggbb`.",
        pattern: "^#[0-9a-fA-F]{6}$"
      },
      logo: {
        type: "string",
        description: "Base64-encoded image: PNG, JPEG or WebP, at most 64 KiB.",
        maxLength: 87384
      },
      css: {
        type: "string",
        description: "Custom CSS rules. The content security policy of the page prevents them from loading anything.",
        maxLength: 20000
      }
    }
  },
};
