// Optimises a plan without changing its behaviour. This file has the list of passes, and the fusion of consecutive
// mappings: the effect of each, its failures, and the message that continues after a failure stay the same.

import { asksForSource } from "../plan/failure-sources.ts";
import { nodesIn } from "../plan/mapping/contents.ts";
import type { MappingPlan, SequenceStep } from "../plan/mapping/ir.ts";
import { bareOption, type ComponentPlan, type Plan } from "../plan/plan.ts";
import { mappingRuntime } from "../plan/plan-field.ts";
import { foldConditions } from "./fold-conditions.ts";
import { rewriteStreams } from "./rewrite.ts";

/**
 * Symbols of builtins that prevent fusion. The fused function takes a message through all mappings before the next
 * message. So a mapping that reads other messages of the batch after the previous mapping is not fused, nor are
 * mappings that share counters or caches, because the order of their use would change.
 */
const batchwise: ReadonlySet<string> = new Set(["batchIndex", "batchSize", "count"]);

/** Fuses mappings in every stream, except in streams whose scripts read which processor failed. */
function fuseMappings(plan: Plan): Plan {
  return rewriteStreams(plan, (stream) => (asksForSource(stream) ? {} : { processors: fuseList }));
}

function fuseList(list: readonly ComponentPlan[]): readonly ComponentPlan[] {
  const fused: ComponentPlan[] = [];
  let run: Fusible[] = [];
  const endRun = (): void => {
    const [first] = run;
    if (first !== undefined) fused.push(run.length === 1 ? first.component : fuse(first, run));
    run = [];
  };
  for (const component of list) {
    const mapping = mappingOf(component);
    if (mapping === undefined || looksAtBatch(mapping)) endRun();
    if (mapping === undefined) fused.push(component);
    else run.push({ component, mapping });
  }
  endRun();
  return fused.length === list.length ? list : fused;
}

interface Fusible {
  readonly component: ComponentPlan;
  readonly mapping: MappingPlan;
}

function fuse(first: Fusible, run: readonly Fusible[]): ComponentPlan {
  const steps: readonly SequenceStep[] = run.map(({ component, mapping }) => ({
    mapping,
    path: component.origin.path,
    span: component.origin.span,
    label: component.label,
  }));
  const value = { kind: "MappingSequence", span: first.mapping.span, steps } as const;
  return {
    ...first.component,
    name: "mapping",
    runtime: mappingRuntime,
    options: { kind: "Object", fields: [{ name: bareOption, value, defaulted: false }] },
  };
}

/** Returns the mapping of a processor that consists only of a mapping. */
function mappingOf({ name, options }: ComponentPlan): MappingPlan | undefined {
  if (name !== "mapping" && name !== "mutation") return undefined;
  const value = options.fields[0]?.value;
  return value?.kind === "MappingPlan" ? value : undefined;
}

function looksAtBatch(mapping: MappingPlan): boolean {
  return nodesIn(mapping).some(
    (node) =>
      node.kind === "Shift" ||
      (node.kind === "Call" && (batchwise.has(node.builtin.symbol) || node.builtin.needs === "cache")),
  );
}

/** The passes in order. The gateway of each result behaves like that of the plan before. */
const passes: readonly ((plan: Plan) => Plan)[] = [foldConditions, fuseMappings];

/** Returns the plan after all passes. */
export function optimisePlan(plan: Plan): Plan {
  return passes.reduce((current, pass) => pass(current), plan);
}
