// A checked document in, what requests pass before its streams see them out.

import type { ApiModel } from "../../model/api.ts";
import type { ProtectionPlan } from "../plan.ts";
import type { ScriptPlanner } from "../plan-field.ts";
import { planAccessRights, planAuthentication } from "./authentication.ts";
import { planClientCertificates, planExpiration, planIpAccess, planRequestSize } from "./blocks.ts";
import { planConnectionLimits, planMessageLimits, planRateLimits } from "./limits.ts";
import { planRequestValidation } from "./request-validation.ts";

/** Plans one protection; `undefined` where the document does not ask for it. */
type Planner = (api: ApiModel, scripts: ScriptPlanner) => ProtectionPlan | undefined;

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
export function planProtections(api: ApiModel, scripts: ScriptPlanner): readonly ProtectionPlan[] {
  return planners.flatMap((plan) => plan(api, scripts) ?? []);
}
