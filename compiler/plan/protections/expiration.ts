// `info.expiration` in, the protection that ends an API at that time out.

import type { ApiDocument } from "../../trees/api.ts";
import { findField } from "../find-field.ts";
import type { ProtectionPlan } from "../plan.ts";
import { planField, type ScriptPlanner } from "../plan-field.ts";

/** Until when it is served. */
export function planExpiration(api: ApiDocument, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const time = findField(api.gatewayFields, "info", "expiration");
  if (time === undefined) return undefined;
  const value = planField(time, scripts);
  return {
    name: "expiration",
    origin: { span: time.span, path: "x-gw-api-gateway.info.expiration" },
    options: { kind: "Object", fields: [{ name: "at", value, defaulted: false }] },
  };
}
