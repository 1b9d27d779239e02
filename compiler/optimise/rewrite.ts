// Rewrites some parts of a plan, at any depth, and leaves everything else unchanged.

import type { MappingPlan } from "../plan/mapping/ir.ts";
import type { ComponentPlan, ObjectPlan, Plan, StreamPlan, ValuePlan } from "../plan/plan.ts";
import { mapChanged, mapFields } from "../plan/values.ts";

/** Replaces parts of a stream; the parts inside them have been replaced already. */
export interface Rewriter {
  readonly mapping?: (mapping: MappingPlan) => MappingPlan;
  /** Rewrites processors that run one after the other: a pipeline, or a list inside a component. */
  readonly processors?: (list: readonly ComponentPlan[]) => readonly ComponentPlan[];
}

/** Returns the plan with the parts of every stream rewritten by the result of `rewriterOf`. */
export function rewriteStreams(plan: Plan, rewriterOf: (stream: StreamPlan) => Rewriter): Plan {
  const apis = plan.apis.map((api) => ({
    ...api,
    streams: api.streams.map((stream) => rewriteStream(stream, rewriterOf(stream))),
  }));
  return { ...plan, apis };
}

function rewriteStream(stream: StreamPlan, rewriter: Rewriter): StreamPlan {
  const { errorHandling } = stream;
  return {
    ...stream,
    input: rewriteComponent(stream.input, rewriter),
    pipeline: rewriteList(stream.pipeline, rewriter),
    output: rewriteComponent(stream.output, rewriter),
    ...(errorHandling === undefined ? {} : { errorHandling: rewriteObject(errorHandling, rewriter) }),
  };
}

function rewriteList(list: readonly ComponentPlan[], rewriter: Rewriter): readonly ComponentPlan[] {
  const inside = mapChanged(list, (component) => rewriteComponent(component, rewriter));
  return rewriter.processors?.(inside) ?? inside;
}

const separately: Rewriter["processors"] & {} = (list) => list;

function rewriteComponent(component: ComponentPlan, rewriter: Rewriter): ComponentPlan {
  const inside = component.isStepwise === true ? { ...rewriter, processors: separately } : rewriter;
  const options = rewriteObject(component.options, inside);
  return options === component.options ? component : { ...component, options };
}

function rewriteObject(object: ObjectPlan, rewriter: Rewriter): ObjectPlan {
  return mapFields(object, (field) => rewriteValue(field.value, rewriter));
}

function rewriteValue(value: ValuePlan, rewriter: Rewriter): ValuePlan {
  switch (value.kind) {
    case "Component":
      return rewriteComponent(value, rewriter);
    case "Object":
      return rewriteObject(value, rewriter);
    case "List": {
      const { items } = value;
      // Other lists of components, such as the inputs of a broker, do not run in sequence.
      const rewritten = items.every(isProcessor)
        ? rewriteList(items, rewriter)
        : mapChanged(items, (item) => rewriteValue(item, rewriter));
      return rewritten === items ? value : { ...value, items: rewritten };
    }
    case "MappingPlan":
      return rewriter.mapping?.(value) ?? value;
    default:
      return value;
  }
}

function isProcessor(value: ValuePlan): value is ComponentPlan {
  return value.kind === "Component" && value.role === "processor";
}
