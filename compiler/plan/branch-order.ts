// The order of a workflow's branches, where the document does not give one.

import { descriptorOf } from "../../schemas/component.ts";
import { invariant } from "../diagnostics/invariant.ts";
import { orderBranches } from "../model/branch-order.ts";
import type { ComponentNode } from "../trees/api.ts";
import type { FieldPlan, ObjectPlan, ValuePlan } from "./plan.ts";

/** The options with an order that was written, or else the one that follows from the branches. */
export function withBranchOrder({ descriptor, config }: ComponentNode, options: ObjectPlan): ObjectPlan {
  const written = options.fields.find((field) => field.name === "order")?.value;
  const isWorkflow = descriptorOf("processor", { descriptor })?.flow.kind === "workflow";
  if (!isWorkflow || (written?.kind === "List" && written.items.length > 0)) return options;
  const derived = orderBranches(config);
  invariant("tiers" in derived, "branches that wait for each other were reported");
  const value = listOf(
    derived.tiers.map((tier) => listOf(tier.map((each) => ({ kind: "Literal", value: each })))),
  );
  const order: FieldPlan = { name: "order", value, defaulted: false };
  return { ...options, fields: [...options.fields.filter((field) => field.name !== "order"), order] };
}

function listOf(items: readonly ValuePlan[]): ValuePlan {
  return { kind: "List", items };
}
