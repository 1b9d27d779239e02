// Names of processors for streams whose scripts ask which one failed on a message; the processors of all
// other streams carry none. In come plans of values, out comes whether a script asks, or the wrapped code.

import type { Planned } from "../plan/mapping/ir.ts";
import type { ComponentPlan, ValuePlan } from "../plan/plan.ts";
import { type Code, call, linkTo, literal } from "./code.ts";
import { expressionsOf, partsOf } from "./mapping/reads.ts";
import type { ScriptPlan } from "./scripts.ts";

const asking: ReadonlySet<string> = new Set(["errorSourceLabel", "errorSourcePath", "errorSourceType"]);

/** Whether a script among the values, or inside of them, asks for the source of a failure. */
export function asksForSource(values: readonly ValuePlan[]): boolean {
  return values.some((value) => {
    switch (value.kind) {
      case "Component":
        return asksForSource(value.options.fields.map((field) => field.value));
      case "Object":
        return asksForSource(value.fields.map((field) => field.value));
      case "List":
        return asksForSource(value.items);
      case "JoinedText":
        return asksForSource(value.parts);
      case "MappingPlan":
      case "QueryPlan":
      case "TemplatePlan":
        return expressionsIn(value).some(asks);
      default:
        return false;
    }
  });
}

/** `withSource(processor, { label: "enrich", path: "root.pipeline.processors.0", type: "branch" })` */
export function emitSource(processor: Code, { name, label = "", origin }: ComponentPlan): Code {
  const source = literal({ label, path: referencePath(origin.path), type: name });
  return call(linkTo("runtime/processors/with-source.ts", "withSource"), [processor, source]);
}

function expressionsIn(plan: ScriptPlan): readonly Planned[] {
  if (plan.kind === "TemplatePlan") return plan.parts.filter((part) => typeof part !== "string");
  const own = plan.kind === "QueryPlan" ? [plan.query] : expressionsOf(plan.statements);
  return [...own, ...plan.maps.flatMap((map) => expressionsOf(map.statements))];
}

function asks(node: Planned): boolean {
  return (node.kind === "Call" && asking.has(node.builtin.symbol)) || partsOf(node).some(asks);
}

/** As the reference counts: from the root of a stream to the entry that holds the component. */
function referencePath(path: string): string {
  const dotted = path.replace(/\.\w+$/, "").replace(/\[(\d+)\]/g, ".$1");
  return `root.${dotted.replace(/^.*?\bstreams\.[^.]+\./, "")}`;
}
