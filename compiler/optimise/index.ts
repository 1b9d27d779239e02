// A plan in, an equal plan out that does the same with less. The passes, in their order, and the fusion of
// mappings that follow each other: what each does, where it fails, and which message goes on then, stays as it was.

import { asksForSource } from "../plan/failure-sources.ts";
import { expressionsIn, partsOf } from "../plan/mapping/contents.ts";
import type { MappingPlan, Planned, SequenceStep } from "../plan/mapping/ir.ts";
import { bareOption, type ComponentPlan, type Plan } from "../plan/plan.ts";
import { mappingRuntime } from "../plan/plan-field.ts";
import { foldConditions } from "./fold-conditions.ts";
import { rewriteStreams } from "./rewrite.ts";

/**
 * The fused function takes a message through all mappings before it turns to the next message. A mapping that reads the
 * other messages of the batch as the mapping before left them is therefore not fused, and neither are mappings that share
 * counters or caches, whose order of use would change.
 */
const batchwise: ReadonlySet<string> = new Set(["batchIndex", "batchSize", "count"]);

/** Fuses them in every stream but those whose scripts ask which processor failed. */
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
  return fused;
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

/** The mapping of a processor that is nothing else. */
function mappingOf({ name, options }: ComponentPlan): MappingPlan | undefined {
  if (name !== "mapping" && name !== "mutation") return undefined;
  const value = options.fields[0]?.value;
  return value?.kind === "MappingPlan" ? value : undefined;
}

function looksAtBatch(mapping: MappingPlan): boolean {
  return expressionsIn(mapping).some(function looks(node: Planned): boolean {
    if (node.kind === "Shift") return true;
    if (node.kind === "Call" && (batchwise.has(node.builtin.symbol) || node.builtin.needs === "cache"))
      return true;
    return partsOf(node).some(looks);
  });
}

/** Each gives a plan whose gateway answers as that of the plan it was given. */
const passes: readonly ((plan: Plan) => Plan)[] = [foldConditions, fuseMappings];

/** The plan after all passes. */
export function optimisePlan(plan: Plan): Plan {
  return passes.reduce((current, pass) => pass(current), plan);
}
