// A scheme of client certificates in, the method that looks at them and its options out.

import type { SecurityScheme } from "../../model/security.ts";
import type { ScriptPlanner } from "../plan-field.ts";
import type { MethodPlan } from "./methods.ts";
import { planWritten } from "./token-methods.ts";

/** `type: mutualTLS`. */
export function planMutualTls({ settings }: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  const fields = planWritten(settings, ["allowlist", "defaultPolicies"], scripts);
  return { maker: "mutual-tls", options: { kind: "Object", fields } };
}
