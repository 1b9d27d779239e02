// `server.clientCertificates` in, the protection that looks at certificates out.

import type { ApiDocument } from "../../trees/api.ts";
import { findObject, mayBeEnabled } from "../find-field.ts";
import type { ProtectionPlan } from "../plan.ts";
import { planObject, type ScriptPlanner } from "../plan-field.ts";

/** Certificates that callers have to show. */
export function planClientCertificates(api: ApiDocument, scripts: ScriptPlanner): ProtectionPlan | undefined {
  const block = findObject(api.gatewayFields, "server", "clientCertificates");
  if (block === undefined || !mayBeEnabled(block)) return undefined;
  return {
    name: "client_certificates",
    origin: { span: block.span, path: "x-gw-api-gateway.server.clientCertificates" },
    options: planObject(block, scripts),
  };
}
