// A security scheme in, the function that enforces it and its options out. A kind of scheme is a row here, and one in
// `enforcedKinds` of parse/document/security.ts.

import { invariant } from "../../diagnostics/invariant.ts";
import { type EnforcedKind, enforcedKinds, type SecurityScheme } from "../../parse/document/security.ts";
import type { MethodName, ObjectPlan } from "../plan.ts";
import type { ScriptPlanner } from "../plan-field.ts";
import { planAuthToken } from "./auth-token.ts";
import { planBasic } from "./basic.ts";

/** A scheme as something that emitted code can make. */
export interface MethodPlan {
  readonly maker: MethodName;
  readonly options: ObjectPlan;
}

/** Plans the options of one kind of scheme. */
export type MethodPlanner = (scheme: SecurityScheme, scripts: ScriptPlanner) => ObjectPlan;

const planners: Readonly<Record<EnforcedKind, { readonly maker: MethodName; readonly plan: MethodPlanner }>> =
  {
    "auth-token": { maker: "auth-token", plan: planAuthToken },
    basic: { maker: "basic", plan: planBasic },
  };

/** The plan of a scheme of a document that was checked. */
export function planMethod(scheme: SecurityScheme, scripts: ScriptPlanner): MethodPlan {
  const kind = enforcedKinds.find((each) => each === scheme.kind);
  invariant(kind !== undefined, "a checked document asks for nothing that cannot be enforced");
  const { maker, plan } = planners[kind];
  return { maker, options: plan(scheme, scripts) };
}
