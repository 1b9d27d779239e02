// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** What a gateway says of itself. */
export interface GatewayReport {
  /** The number of the one that is served. */
  readonly deployment?: number;
  readonly outcomes: readonly {
    readonly api: string;
    readonly outcome: "unchanged" | "applied" | "removed" | "rolled back";
    readonly reason?: string;
  }[];
  /** Why the newest deployment is not the one served. */
  readonly problem?: string;
  /** What belongs to the process has changed. */
  readonly needsRestart: boolean;
  readonly runtime: string;
  readonly streams: readonly Readonly<Record<string, unknown>>[];
}

/** `GatewayReport` as JSON Schema 2020-12. */
export const gatewayReportSchema: RecordSchema<GatewayReport> = {
  name: "GatewayReport",
  schema: {
    title: "Report",
    description: "What a gateway says of itself.",
    type: "object",
    required: [
      "outcomes",
      "needsRestart",
      "runtime",
      "streams"
    ],
    properties: {
      deployment: {
        type: "integer",
        minimum: 0,
        maximum: 2147483647,
        description: "The number of the one that is served."
      },
      outcomes: {
        type: "array",
        items: {
          type: "object",
          required: [
            "api",
            "outcome"
          ],
          properties: {
            api: {
              type: "string"
            },
            outcome: {
              enum: [
                "unchanged",
                "applied",
                "removed",
                "rolled back"
              ]
            },
            reason: {
              type: "string"
            }
          }
        }
      },
      problem: {
        type: "string",
        description: "Why the newest deployment is not the one served."
      },
      needsRestart: {
        type: "boolean",
        description: "What belongs to the process has changed."
      },
      runtime: {
        type: "string"
      },
      streams: {
        type: "array",
        items: {
          type: "object"
        }
      }
    }
  },
};
