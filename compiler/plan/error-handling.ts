// `error_handling` of a stream, or that of its set.

import type { SetModel } from "../model/set.ts";
import type { StreamNode } from "../trees/api.ts";
import { type DocumentNode, findNode } from "../trees/document.ts";
import type { FieldPlan, ObjectPlan, ValuePlan } from "./plan.ts";
import { planComponent, planObject, type ScriptPlanner } from "./plan-field.ts";

/** The stream's own `error_handling`, else the set's. */
export function planErrorHandling(
  stream: StreamNode,
  set: SetModel,
  path: string,
  scripts: ScriptPlanner,
): ObjectPlan | undefined {
  if (stream.errorHandling === undefined) {
    const common = set.process.errorHandling?.field;
    return common?.kind === "Object" ? withFunctions(planObject(common, scripts).fields) : undefined;
  }
  const settings = ["strategy", "max_attempts", "log"].flatMap((name): FieldPlan[] => {
    const value = literalPlan(findNode(stream.errorHandling, name));
    return value === undefined ? [] : [{ name, value, defaulted: false }];
  });
  const { deadLetter } = stream;
  if (deadLetter === undefined) return withFunctions(settings);
  const output = planComponent(deadLetter, `${path}.output.${deadLetter.name}`, scripts);
  return withFunctions([...settings, { name: "output", value: output, defaulted: false }]);
}

/** A setting as it is written. */
function literalPlan(node: DocumentNode | undefined): ValuePlan | undefined {
  if (node?.kind === "scalar") return { kind: "Literal", value: node.value };
  if (node?.kind !== "map") return undefined;
  const fields = node.entries.flatMap(({ key, value }): FieldPlan[] => {
    const plan = literalPlan(value);
    return plan === undefined ? [] : [{ name: key, value: plan, defaulted: false }];
  });
  return { kind: "Object", fields };
}

/** The settings with the functions that `retry` and an enabled `log` bring along. */
function withFunctions(fields: readonly FieldPlan[]): ObjectPlan {
  const completed = fields.flatMap((field): FieldPlan[] => {
    if (field.name === "strategy" && isLiteral(field.value, "retry"))
      return [field, { name: "repeat", value: field.value, defaulted: false, brings: "repeated-delivery" }];
    if (field.name !== "log" || field.value.kind !== "Object") return [field];
    const enabled = field.value.fields.find(({ name }) => name === "enabled");
    if (enabled === undefined || !isLiteral(enabled.value, true)) return [];
    const options = field.value.fields.filter((each) => each !== enabled);
    return [{ ...field, value: { kind: "Object", fields: options }, maker: "failure-samples" }];
  });
  return { kind: "Object", fields: completed };
}

function isLiteral(value: ValuePlan, expected: string | boolean): boolean {
  return value.kind === "Literal" && value.value === expected;
}
