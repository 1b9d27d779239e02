// A scheme of users and passwords in, the options of the method that verifies them out.

import type { SecurityScheme } from "../../model/security.ts";
import { findField } from "../find-field.ts";
import type { ObjectPlan } from "../plan.ts";
import { planField, type ScriptPlanner } from "../plan-field.ts";
import { planSources } from "./credential-sources.ts";

/** `type: http` with `scheme: basic`. */
export function planBasic(scheme: SecurityScheme, scripts: ScriptPlanner): ObjectPlan {
  const written = ["disableCaching", "cacheTTL"].flatMap((name) => {
    const field = findField(scheme.settings, name);
    return field === undefined ? [] : [{ name, value: planField(field, scripts), defaulted: false }];
  });
  return { kind: "Object", fields: [...planSources(scheme), ...written] };
}
