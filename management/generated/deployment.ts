// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** A set of definitions that gateways run, and the outcome at each gateway. */
export interface Deployment {
  /** Sequence number of the deployment. */
  readonly number: number;
  /** SHA-256 hash of the manifest, in hexadecimal digits. */
  readonly digest: string;
  /** Time at which the deployment became available to gateways, in UTC. */
  readonly created_at: string;
  /** Milliseconds since the last change that the deployment contains. */
  readonly waited?: number;
  /** Compilation time in milliseconds. */
  readonly compiled?: number;
  /** Number of APIs that were compiled again. */
  readonly compiled_apis?: number;
  /** Version of each API. */
  readonly apis?: readonly Readonly<Record<string, unknown>>[];
  /** APIs that did not compile, and the reasons. */
  readonly failures?: readonly Readonly<Record<string, unknown>>[];
  /** Outcomes by gateway. `took` is the time in milliseconds until the deployment was in effect there. */
  readonly gateways?: readonly Readonly<Record<string, unknown>>[];
}

/** `Deployment` as JSON Schema 2020-12. */
export const deploymentSchema: RecordSchema<Deployment> = {
  name: "Deployment",
  schema: {
    title: "Deployment",
    description: "A set of definitions that gateways run, and the outcome at each gateway.",
    type: "object",
    required: [
      "number",
      "digest",
      "created_at"
    ],
    properties: {
      number: {
        type: "integer",
        description: "Sequence number of the deployment."
      },
      digest: {
        type: "string",
        description: "SHA-256 hash of the manifest, in hexadecimal digits."
      },
      created_at: {
        type: "string",
        description: "Time at which the deployment became available to gateways, in UTC."
      },
      waited: {
        type: "integer",
        description: "Milliseconds since the last change that the deployment contains."
      },
      compiled: {
        type: "integer",
        description: "Compilation time in milliseconds."
      },
      compiled_apis: {
        type: "integer",
        description: "Number of APIs that were compiled again."
      },
      apis: {
        type: "array",
        items: {
          type: "object"
        },
        description: "Version of each API."
      },
      failures: {
        type: "array",
        items: {
          type: "object"
        },
        description: "APIs that did not compile, and the reasons."
      },
      gateways: {
        type: "array",
        items: {
          type: "object"
        },
        description: "Outcomes by gateway. `took` is the time in milliseconds until the deployment was in effect there."
      }
    }
  },
};
