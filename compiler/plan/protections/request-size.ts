// `middleware.global.requestSizeLimit` in, the protection that looks at the size of bodies out.

import type { ApiDocument } from "../../trees/api.ts";
import { findObject, mayBeEnabled } from "../find-field.ts";
import type { ProtectionPlan } from "../plan.ts";
import { planObject, type ScriptPlanner } from "../plan-field.ts";

/** The largest body. */
export function planRequestSize(api: ApiDocument, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const block = findObject(api.gatewayFields, "middleware", "global", "requestSizeLimit");
  if (block === undefined || !mayBeEnabled(block)) return undefined;
  return {
    name: "request_size",
    origin: { span: block.span, path: "x-gw-api-gateway.middleware.global.requestSizeLimit" },
    options: planObject(block, scripts),
  };
}
