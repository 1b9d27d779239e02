// What a key has used of its limits, before anything is known of how requests are counted.

import type { GatewayScope } from "../../component/gateway-scope.ts";
import type { Counters } from "../../counters.ts";
import type { KeySession } from "../../keys/session.ts";
import type { RecordSchema } from "../../rest/operation.ts";

/** One limit of a key as it stands now. */
export interface LimitUsage {
  readonly kind: "rate" | "quota";
  /** Id of the API that it is for, or the name that several share it by; empty where it is for all that the key calls. */
  readonly scope: string;
  /** Requests in a period. */
  readonly max: number;
  /** Seconds of the period; 0 where it never ends. */
  readonly period: number;
  /** Requests that would pass now. */
  readonly left: number;
  /** Seconds until all of them would pass again; -1 where that never is. */
  readonly renews_in: number;
}

/** The same as JSON Schema. */
export const limitUsageSchema: RecordSchema<LimitUsage> = {
  name: "LimitUsage",
  schema: {
    title: "Limit",
    description: "A limit of a key as it stands now.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      kind: { type: "string", enum: ["rate", "quota"] },
      scope: { type: "string", description: "The API that it is for; empty for all that the key calls." },
      max: { type: "number", description: "Requests in a period." },
      period: { type: "number", description: "Seconds of the period; 0 where it never ends." },
      left: { type: "number", description: "Requests that would pass now." },
      renews_in: { type: "integer", description: "Seconds until all would pass again; -1 for never." },
    },
  },
};

/** Reads what is left of the limits of a caller; nothing is counted by that. Rejects where counting is not possible. */
export type ReadKeyUsage = (session: KeySession) => Promise<readonly LimitUsage[]>;

/** Where a gateway counts. */
export interface KeyUsageContext {
  readonly gateway: GatewayScope;
  /** Absent where it counts in the memory of this process. */
  readonly counters?: Counters;
}

/** Makes what reads usage; called when the gateway starts. */
export type KeyUsageSource = (context: KeyUsageContext) => ReadKeyUsage;
