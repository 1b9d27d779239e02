// Plans the caches and rate limits that the components of a stream share: of those declared, only the ones that
// the plan uses.

import { invariant } from "../diagnostics/invariant.ts";
import type { ResourceNode } from "../trees/api.ts";
import { nodesIn } from "./mapping/contents.ts";
import type { MappingPlan, Planned, PlannedCall, QueryPlan, TemplatePlan } from "./mapping/ir.ts";
import type { ResourcePlan, ValuePlan } from "./plan.ts";
import { planComponent, type ScriptPlanner } from "./plan-field.ts";

/**
 * Returns the resources that `values` use, directly or through other resources. Each follows the resources that it uses,
 * otherwise they are in the order declared. `path` is the path of the stream in its document.
 */
export function planResources(
  declared: readonly ResourceNode[],
  values: readonly ValuePlan[],
  path: string,
  scripts: ScriptPlanner,
): readonly ResourcePlan[] {
  const planned = new Map<string, ResourcePlan>();
  const planLabel = (label: string): void => {
    const found = declared.find((each) => each.label === label && isShared(each));
    if (planned.has(label) || found?.component === undefined) return;
    const at = `${path}${found.role}_resources.${label}.${found.component.name}`;
    const component = planComponent(found.component, at, scripts);
    const uses = [...new Set(labelsIn(component))];
    uses.forEach(planLabel);
    planned.set(label, { label, component, uses });
  };
  const used = new Set(values.flatMap((value) => [...labelsIn(value)]));
  for (const { label } of declared) if (label !== undefined && used.has(label)) planLabel(label);
  return [...planned.values()];
}

function isShared({ role }: ResourceNode): boolean {
  return role === "cache" || role === "rate_limit";
}

/** Whether a script calls functions that use a cache. */
export function usesCaches(script: MappingPlan | QueryPlan | TemplatePlan): boolean {
  return nodesIn(script).some(isCacheCall);
}

/** Whether a script contains a call that counts, or a sequence of random numbers. */
export function counts(script: MappingPlan | QueryPlan | TemplatePlan): boolean {
  return nodesIn(script).some((node) => node.kind === "Call" && node.builtin.module === "counters.ts");
}

/** Returns the label of the cache that a call uses: its first argument, which is a constant. */
export function cacheOf({ args }: PlannedCall): string {
  const [label] = args;
  const value = label?.kind === "value" && label.value.kind === "Constant" ? label.value.value : undefined;
  invariant(typeof value === "string", "the cache of a call is known");
  return value;
}

/** Yields the labels of the resources that a value uses; a label may occur more than once. */
function* labelsIn(value: ValuePlan): Iterable<string> {
  switch (value.kind) {
    case "Resource":
      yield value.label;
      return;
    case "Component":
      yield* labelsIn(value.options);
      return;
    case "Object":
      for (const field of value.fields) yield* labelsIn(field.value);
      return;
    case "List":
      for (const item of value.items) yield* labelsIn(item);
      return;
    case "JoinedText":
      for (const part of value.parts) yield* labelsIn(part);
      return;
    case "MappingSequence":
      for (const { mapping } of value.steps) yield* labelsIn(mapping);
      return;
    case "MappingPlan":
    case "QueryPlan":
    case "TemplatePlan":
      for (const call of nodesIn(value).filter(isCacheCall)) yield cacheOf(call);
      return;
    default:
  }
}

function isCacheCall(node: Planned): node is PlannedCall {
  return node.kind === "Call" && node.builtin.needs === "cache";
}
