// Plans where a gateway counts requests, from `redis` and `limits.max_counters` of the set.

import type { SettingsModel } from "../model/settings.ts";
import type { FieldNode, ObjectField } from "../trees/api.ts";
import type { ApiPlan, FieldPlan, ObjectPlan, ProtectionName } from "./plan.ts";
import { planField, planObject, type ScriptPlanner } from "./plan-field.ts";

/** The field of `limits` that applies to counters only. */
export const countersLimit = "max_counters";

const counting = new Set<ProtectionName>(["rate_limits", "connection_limits"]);

/** Whether requests to an API are counted. */
export function isCounted({ protections }: ApiPlan): boolean {
  return protections.some(({ name }) => counting.has(name));
}

/** Returns the location and the limit of the counters. `redis` is an address, or a block that contains one. */
export function planCounters({ redis, limits }: SettingsModel, scripts: ScriptPlanner): ObjectPlan {
  const most = limits.value(countersLimit)?.field;
  return {
    kind: "Object",
    fields: [
      ...(redis?.field === undefined ? [] : [fieldOf("redis", planRedis(redis.field, scripts))]),
      ...(most === undefined ? [] : [fieldOf(countersLimit, planField(most, scripts))]),
    ],
  };
}

/** Returns the `redis` setting of a set as a block, whether it is written as an address or as a block. */
export function planRedis(redis: FieldNode | ObjectField, scripts: ScriptPlanner): ObjectPlan {
  if (redis.kind === "Object") return planObject(redis, scripts);
  return { kind: "Object", fields: [fieldOf("url", planField(redis, scripts))] };
}

function fieldOf(name: string, value: FieldPlan["value"]): FieldPlan {
  return { name, value, defaulted: false };
}
