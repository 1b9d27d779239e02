// The steps of a stream in, the same with names people can follow out, and what the output gets besides.

import type { ComponentNode, StreamNode } from "../../trees/api.ts";
import { componentPaths } from "../../trees/component-paths.ts";
import type { FlowStep } from "./context.ts";

/** A step by its name. */
export interface NamedStep extends FlowStep {
  /** `input`, `processors[0].mapping`, `output`; unique within the stream. */
  readonly name: string;
  /** The name of the step whose messages come to it, where that is known. */
  readonly reads?: string;
}

/** Every step in the order messages pass them; the last is the output, with the messages that come to it. */
export function namedSteps(stream: StreamNode, steps: readonly FlowStep[]): readonly NamedStep[] {
  const { input, processors, output } = stream;
  const paths = componentPaths(stream);
  // A step inside a loop is passed several times; what is known of it in the end counts.
  const last = new Map(steps.map((step) => [step.component, step]));
  // What all processors of a pipeline begin with says nothing.
  const nameOf = (component: ComponentNode) =>
    component === input ? "input" : (paths.get(component) ?? component.name).replace(/^pipeline\./, "");
  const named = [...last.values()].map((step) => {
    const before = onlyBefore(step.component, steps);
    return { ...step, name: nameOf(step.component), ...(before && { reads: nameOf(before) }) };
  });
  const before = processors.at(-1) ?? input;
  const given = before === undefined ? undefined : last.get(before);
  if (output === undefined || given === undefined) return named;
  return [...named, { name: "output", component: output, message: given.message }];
}

/** What a component follows; none where it stands in several places and follows different ones. */
function onlyBefore(component: ComponentNode, steps: readonly FlowStep[]): ComponentNode | undefined {
  const before = new Set(steps.filter((step) => step.component === component).map((step) => step.before));
  return before.size === 1 ? [...before][0] : undefined;
}
