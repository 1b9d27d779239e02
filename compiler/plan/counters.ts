// `redis` and `limits.max_counters` of a set in, where its gateway counts requests out.

import type { ApiSet, FieldNode, ObjectField } from "../trees/api.ts";
import { findField } from "./find-field.ts";
import type { ApiPlan, FieldPlan, ObjectPlan, ProtectionName } from "./plan.ts";
import { planField, planObject, type ScriptPlanner } from "./plan-field.ts";

/** The field of `limits` that is about counters alone. */
export const countersLimit = "max_counters";

const counting = new Set<ProtectionName>(["rate_limits", "connection_limits"]);

/** Whether requests to an API are counted. */
export function isCounted({ protections }: ApiPlan): boolean {
  return protections.some(({ name }) => counting.has(name));
}

/** Where they are. `redis` is an address, or a block with it. */
export function planCounters({ settingsFields }: ApiSet, scripts: ScriptPlanner): ObjectPlan {
  const redis = findField(settingsFields, "redis");
  const most = findField(settingsFields, "limits", countersLimit);
  return {
    kind: "Object",
    fields: [
      ...(redis === undefined ? [] : [fieldOf("redis", planRedis(redis, scripts))]),
      ...(most === undefined ? [] : [fieldOf(countersLimit, planField(most, scripts))]),
    ],
  };
}

/** `redis` of a set as a block: an address, or a block with it. */
export function planRedis(redis: FieldNode | ObjectField, scripts: ScriptPlanner): ObjectPlan {
  if (redis.kind === "Object") return planObject(redis, scripts);
  return { kind: "Object", fields: [fieldOf("url", planField(redis, scripts))] };
}

function fieldOf(name: string, value: FieldPlan["value"]): FieldPlan {
  return { name, value, defaulted: false };
}
