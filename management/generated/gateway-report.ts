// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** Status that a gateway reports. */
export interface GatewayReport {
  /** Number of the deployment that the gateway serves. */
  readonly deployment?: number;
  readonly outcomes: readonly {
    readonly api: string;
    readonly outcome: "unchanged" | "applied" | "removed" | "rolled back";
    readonly reason?: string;
  }[];
  /** Reason why the gateway does not serve the newest deployment. */
  readonly problem?: string;
  /** Whether process settings have changed, so that the gateway must be restarted. */
  readonly needsRestart: boolean;
  readonly runtime: string;
  readonly streams: readonly Readonly<Record<string, unknown>>[];
}

/** `GatewayReport` as JSON Schema 2020-12. */
export const gatewayReportSchema: RecordSchema<GatewayReport> = {
  name: "GatewayReport",
  schema: {
    title: "Report",
    description: "Status that a gateway reports.",
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
        description: "Number of the deployment that the gateway serves."
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
        description: "Reason why the gateway does not serve the newest deployment."
      },
      needsRestart: {
        type: "boolean",
        description: "Whether process settings have changed, so that the gateway must be restarted."
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
