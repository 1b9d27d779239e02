// Returns the steps of a stream with readable names, and the messages that the output receives.

import type { ComponentNode, StreamNode } from "../../trees/api.ts";
import { componentPaths } from "../../trees/component-paths.ts";
import type { FlowStep } from "./context.ts";

/** A step with its name. */
export interface NamedStep extends FlowStep {
  /** `input`, `processors[0].mapping`, `output`; unique within the stream. */
  readonly name: string;
  /** The name of the step that its messages come from, if known. */
  readonly reads?: string;
}

/** Returns every step in the order that messages pass them; the last is the output, with the messages that reach it. */
export function namedSteps(stream: StreamNode, steps: readonly FlowStep[]): readonly NamedStep[] {
  const { input, processors, output } = stream;
  const paths = componentPaths(stream);
  // A step inside a loop is passed several times; the last facts count.
  const last = new Map(steps.map((step) => [step.component, step]));
  // The common prefix of all pipeline processors carries no information.
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

/** Returns the component before this one; `undefined` if it occurs in several places after different components. */
function onlyBefore(component: ComponentNode, steps: readonly FlowStep[]): ComponentNode | undefined {
  const before = new Set(steps.filter((step) => step.component === component).map((step) => step.before));
  return before.size === 1 ? [...before][0] : undefined;
}
