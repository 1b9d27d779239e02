// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** A program of a developer or a team, and the products that it uses. */
export interface App {
  /** Id of the app. */
  readonly id?: string;
  /** Organisation that the app belongs to. */
  readonly org_id?: string;
  /** Name of the app. */
  readonly name: string;
  /** Description of the app. */
  readonly description?: string;
  /** Id of the developer or team that owns the app. */
  readonly by_user: string;
  /** Products that the app uses: the `policy_id` of catalogue entries, or the `api_id` of those without a policy. */
  readonly products?: readonly string[];
  /** Further information about the app. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Time of creation, in UTC. */
  readonly date_created?: string;
}

/** `App` as JSON Schema 2020-12. */
export const appSchema: RecordSchema<App> = {
  name: "App",
  schema: {
    title: "App",
    description: "A program of a developer or a team, and the products that it uses.",
    type: "object",
    additionalProperties: false,
    required: [
      "name",
      "by_user"
    ],
    properties: {
      id: {
        type: "string",
        description: "Id of the app.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation that the app belongs to.",
        readOnly: true
      },
      name: {
        type: "string",
        description: "Name of the app.",
        minLength: 1
      },
      description: {
        type: "string",
        description: "Description of the app."
      },
      by_user: {
        type: "string",
        description: "Id of the developer or team that owns the app.",
        minLength: 1
      },
      products: {
        type: "array",
        description: "Products that the app uses: the `policy_id` of catalogue entries, or the `api_id` of those without a policy.",
        items: {
          type: "string",
          minLength: 1
        }
      },
      fields: {
        type: "object",
        description: "Further information about the app.",
        additionalProperties: {
          type: "string"
        }
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
