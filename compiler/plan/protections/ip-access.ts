// `server.ipAccessControl` in, the protection that looks at addresses out.

import type { ApiDocument } from "../../trees/api.ts";
import { findObject, mayBeEnabled } from "../find-field.ts";
import type { ProtectionPlan } from "../plan.ts";
import { planObject, type ScriptPlanner } from "../plan-field.ts";

/** Addresses that may call. */
export function planIpAccess(api: ApiDocument, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const block = findObject(api.gatewayFields, "server", "ipAccessControl");
  if (block === undefined || !mayBeEnabled(block)) return undefined;
  return {
    name: "ip_access",
    origin: { span: block.span, path: "x-gw-api-gateway.server.ipAccessControl" },
    options: planObject(block, scripts),
  };
}
