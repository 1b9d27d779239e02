// A plan in, an equal plan out that does the same with less. The passes, in their order.

import type { Plan } from "../plan/plan.ts";
import { foldConditions } from "./fold-conditions.ts";
import { fuseMappings } from "./fuse-mappings.ts";

/** Each gives a plan whose gateway answers as that of the plan it was given. */
const passes: readonly ((plan: Plan) => Plan)[] = [foldConditions, fuseMappings];

/** The plan after all passes. */
export function optimisePlan(plan: Plan): Plan {
  return passes.reduce((current, pass) => pass(current), plan);
}
