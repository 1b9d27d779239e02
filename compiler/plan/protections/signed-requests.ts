// A scheme of signed requests in, the method that verifies them and its options out.

import type { SecurityScheme } from "../../model/security.ts";
import type { ScriptPlanner } from "../plan-field.ts";
import { planSources } from "./credential-sources.ts";
import type { MethodPlan } from "./methods.ts";
import { planWritten } from "./token-methods.ts";

const names = ["allowedAlgorithms", "allowedClockSkew", "requiredHeaders", "refuseRepeats"];

/** `server.authentication.hmac`, or `type: http` with `scheme: signature`. */
export function planSignedRequests(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  const header = planSources(scheme).filter(({ name }) => name === "header");
  const fields = [...header, ...planWritten(scheme.settings, names, scripts)];
  return { maker: "signed-requests", options: { kind: "Object", fields } };
}
