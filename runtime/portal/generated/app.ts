// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** A program of a developer's, and the products it is for. */
export interface App {
  /** Its id. */
  readonly id?: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** What it is called. */
  readonly name: string;
  /** What it is, in words. */
  readonly description?: string;
  /** Id of the developer or the team whose it is. */
  readonly by_user: string;
  /** Products it is for: the `policy_id` of entries of the catalogue, or the `api_id` of those without a policy. */
  readonly products?: readonly string[];
  /** Whatever else is known of it. */
  readonly fields?: Readonly<Record<string, string>>;
  /** When it was made, in UTC. */
  readonly date_created?: string;
}

/** `App` as JSON Schema 2020-12. */
export const appSchema: RecordSchema<App> = {
  name: "App",
  schema: {
    title: "App",
    description: "A program of a developer's, and the products it is for.",
    type: "object",
    additionalProperties: false,
    required: [
      "name",
      "by_user"
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
      name: {
        type: "string",
        description: "What it is called.",
        minLength: 1
      },
      description: {
        type: "string",
        description: "What it is, in words."
      },
      by_user: {
        type: "string",
        description: "Id of the developer or the team whose it is.",
        minLength: 1
      },
      products: {
        type: "array",
        description: "Products it is for: the `policy_id` of entries of the catalogue, or the `api_id` of those without a policy.",
        items: {
          type: "string",
          minLength: 1
        }
      },
      fields: {
        type: "object",
        description: "Whatever else is known of it.",
        additionalProperties: {
          type: "string"
        }
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
