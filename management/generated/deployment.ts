// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** What gateways were given to run, and what came of it at each. */
export interface Deployment {
  /** Counts up with each deployment. */
  readonly number: number;
  /** Hex SHA-256 of its manifest. */
  readonly digest: string;
  /** When it was there for gateways, in UTC. */
  readonly created_at: string;
  /** Milliseconds since the last change that it holds. */
  readonly waited?: number;
  /** Milliseconds that compiling took. */
  readonly compiled?: number;
  /** How many APIs were compiled anew. */
  readonly compiled_apis?: number;
  /** Which version of each API. */
  readonly apis?: readonly Readonly<Record<string, unknown>>[];
  /** APIs that did not compile, and why. */
  readonly failures?: readonly Readonly<Record<string, unknown>>[];
  /** Outcomes by gateway, and `took`: the milliseconds until it was in effect there. */
  readonly gateways?: readonly Readonly<Record<string, unknown>>[];
}

/** `Deployment` as JSON Schema 2020-12. */
export const deploymentSchema: RecordSchema<Deployment> = {
  name: "Deployment",
  schema: {
    title: "Deployment",
    description: "What gateways were given to run, and what came of it at each.",
    type: "object",
    required: [
      "number",
      "digest",
      "created_at"
    ],
    properties: {
      number: {
        type: "integer",
        description: "Counts up with each deployment."
      },
      digest: {
        type: "string",
        description: "Hex SHA-256 of its manifest."
      },
      created_at: {
        type: "string",
        description: "When it was there for gateways, in UTC."
      },
      waited: {
        type: "integer",
        description: "Milliseconds since the last change that it holds."
      },
      compiled: {
        type: "integer",
        description: "Milliseconds that compiling took."
      },
      compiled_apis: {
        type: "integer",
        description: "How many APIs were compiled anew."
      },
      apis: {
        type: "array",
        items: {
          type: "object"
        },
        description: "Which version of each API."
      },
      failures: {
        type: "array",
        items: {
          type: "object"
        },
        description: "APIs that did not compile, and why."
      },
      gateways: {
        type: "array",
        items: {
          type: "object"
        },
        description: "Outcomes by gateway, and `took`: the milliseconds until it was in effect there."
      }
    }
  },
};
