// A security scheme in, the function that enforces it and its options out. A kind of scheme is a row here, and one in
// `enforcedKinds` of model/security.ts.

import { invariant } from "../../diagnostics/invariant.ts";
import { type EnforcedKind, enforcedKinds, type SecurityScheme } from "../../model/security.ts";
import type { MethodName, ObjectPlan } from "../plan.ts";
import type { ScriptPlanner } from "../plan-field.ts";
import { planAuthToken } from "./auth-token.ts";
import { planBasic } from "./basic.ts";
import { planMutualTls } from "./mutual-tls.ts";
import { planSignedRequests } from "./signed-requests.ts";
import { planJwt, planOauth2, planOpenIdConnect } from "./token-methods.ts";

/** A scheme as something that emitted code can make. */
export interface MethodPlan {
  readonly maker: MethodName;
  readonly options: ObjectPlan;
}

/** Plans one kind of scheme. */
export type MethodPlanner = (scheme: SecurityScheme, scripts: ScriptPlanner) => MethodPlan;

const planners: Readonly<Record<EnforcedKind, MethodPlanner>> = {
  "auth-token": (scheme) => ({ maker: "auth-token", options: planAuthToken(scheme) }),
  basic: (scheme, scripts) => ({ maker: "basic", options: planBasic(scheme, scripts) }),
  jwt: planJwt,
  oauth2: planOauth2,
  "openid-connect": planOpenIdConnect,
  "mutual-tls": planMutualTls,
  signature: planSignedRequests,
};

/** The plan of a scheme of a document that was checked. */
export function planMethod(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  const kind = enforcedKinds.find((each) => each === scheme.kind);
  invariant(kind !== undefined, "a checked document asks for nothing that cannot be enforced");
  return planners[kind](scheme, scripts);
}
