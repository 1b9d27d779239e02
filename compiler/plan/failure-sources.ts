// Finds the streams whose scripts ask which processor failed on a message.

import { nodesIn } from "./mapping/contents.ts";
import type { Planned, QueryPlan } from "./mapping/ir.ts";
import type { StreamPlan, ValuePlan } from "./plan.ts";

const asking: ReadonlySet<string> = new Set(["errorSourceLabel", "errorSourcePath", "errorSourceType"]);

const reading: ReadonlySet<string> = new Set([...asking, "error", "errored"]);

/** Whether a query reads the error of a message, or whether the message has one. */
export function readsFailure(query: QueryPlan): boolean {
  return nodesIn(query).some((node) => node.kind === "Call" && reading.has(node.builtin.symbol));
}

/** Whether a script of the stream reads the source of a failure. */
export function asksForSource({ input, pipeline, output, errorHandling }: StreamPlan): boolean {
  return [input, ...pipeline, output, ...(errorHandling === undefined ? [] : [errorHandling])].some(
    holdsAsker,
  );
}

function holdsAsker(value: ValuePlan): boolean {
  switch (value.kind) {
    case "Component":
      return value.options.fields.some((field) => holdsAsker(field.value));
    case "Object":
      return value.fields.some((field) => holdsAsker(field.value));
    case "List":
      return value.items.some(holdsAsker);
    case "JoinedText":
      return value.parts.some(holdsAsker);
    case "MappingSequence":
      return value.steps.some(({ mapping }) => nodesIn(mapping).some(asks));
    case "MappingPlan":
    case "QueryPlan":
    case "TemplatePlan":
      return nodesIn(value).some(asks);
    default:
      return false;
  }
}

function asks(node: Planned): boolean {
  return node.kind === "Call" && asking.has(node.builtin.symbol);
}
