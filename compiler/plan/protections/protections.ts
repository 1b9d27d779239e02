// A checked document in, what requests pass before its streams see them out.

import type { ApiDocument } from "../../trees/api.ts";
import type { ProtectionPlan } from "../plan.ts";
import type { ScriptPlanner } from "../plan-field.ts";
import { planAccessRights, planAuthentication } from "./authentication.ts";
import { planClientCertificates } from "./client-certificates.ts";
import { planExpiration } from "./expiration.ts";
import { planIpAccess } from "./ip-access.ts";
import { planConnectionLimits, planMessageLimits, planRateLimits } from "./limits.ts";
import { planRequestSize } from "./request-size.ts";
import { planRequestValidation } from "./request-validation.ts";

/** Plans one protection; `undefined` where the document does not ask for it. */
type Planner = (api: ApiDocument, scripts: ScriptPlanner) => ProtectionPlan | undefined;

/** In the order of the chain. */
const planners: readonly Planner[] = [
  planExpiration,
  planIpAccess,
  planClientCertificates,
  planRequestSize,
  planAuthentication,
  planAccessRights,
  planRateLimits,
  planConnectionLimits,
  planMessageLimits,
  planRequestValidation,
];

/** The protections that a document asks for. */
export function planProtections(api: ApiDocument, scripts: ScriptPlanner): readonly ProtectionPlan[] {
  return planners.flatMap((plan) => plan(api, scripts) ?? []);
}
