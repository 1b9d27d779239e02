// The interface for reading the usage of a key's limits, independent of how requests are counted.

import type { GatewayScope } from "../../component/gateway-scope.ts";
import type { Counters } from "../../counters.ts";
import type { KeySession } from "../../keys/session.ts";
import type { RecordSchema } from "../../rest/operation.ts";

/** The current state of one limit of a key. */
export interface LimitUsage {
  readonly kind: "rate" | "quota";
  /**
   * The id of the API, or the name under which several APIs share the limit; empty if it covers all calls with the key.
   */
  readonly scope: string;
  /** The maximum number of requests in a period. */
  readonly max: number;
  /** The period in seconds; 0 if it never ends. */
  readonly period: number;
  /** The number of requests that would pass now. */
  readonly left: number;
  /** Seconds until the whole limit is available again; -1 if that never happens. */
  readonly renews_in: number;
}

/** The JSON Schema of `LimitUsage`. */
export const limitUsageSchema: RecordSchema<LimitUsage> = {
  name: "LimitUsage",
  schema: {
    title: "Limit",
    description: "The current state of a limit of a key.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      kind: { type: "string", enum: ["rate", "quota"] },
      scope: {
        type: "string",
        description: "The API that the limit applies to; empty for all APIs of the key.",
      },
      max: { type: "number", description: "Requests per period." },
      period: { type: "number", description: "Length of the period in seconds; 0 if it never ends." },
      left: { type: "number", description: "Remaining requests." },
      renews_in: {
        type: "integer",
        description: "Seconds until the limit is renewed completely; -1 for never.",
      },
    },
  },
};

/** Reads the remaining limits of a caller without counting a request. Rejects if counting is not possible. */
export type ReadKeyUsage = (session: KeySession) => Promise<readonly LimitUsage[]>;

/** The dependencies for reading usage. */
export interface KeyUsageContext {
  readonly gateway: GatewayScope;
  /** Absent if the gateway counts in the memory of this process. */
  readonly counters?: Counters;
}

/** Creates the function that reads usage; called when the gateway starts. */
export type KeyUsageSource = (context: KeyUsageContext) => ReadKeyUsage;
