// Completes the options of components that contain other components, for the runtime: it repeats copies,
// records what the checks of cases read, marks components that are created later, and gives
// a workflow the order of its branches.

import { descriptorOf } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import { invariant } from "../diagnostics/invariant.ts";
import { orderBranches } from "../model/branch-order.ts";
import type { ComponentNode } from "../trees/api.ts";
import { readsFailure } from "./failure-sources.ts";
import type { FieldPlan, ObjectPlan, ValuePlan } from "./plan.ts";

/** Returns the options of a component with schema `schema`, completed for the runtime. */
export function completeOptions(options: ObjectPlan, schema: Schema): ObjectPlan {
  const marked = { ...options, fields: options.fields.map((field) => markFactories(field, schema)) };
  if (schema.properties?.copies !== undefined) return withCopies(marked);
  return schema.properties?.cases === undefined ? marked : withCaseFacts(marked);
}

/** Marks the values of fields with `x-factory`: `read_until.input`, `sequence.inputs`. */
function markFactories(field: FieldPlan, { properties = {} }: Schema): FieldPlan {
  const schema = properties[field.name];
  const isFactory = (schema?.items ?? schema)?.["x-factory"] === true;
  return isFactory ? { ...field, value: markLate(field.value) } : field;
}

function markLate(value: ValuePlan): ValuePlan {
  if (value.kind === "Component") return { ...value, isMadeLater: true };
  return value.kind === "List" ? { ...value, items: value.items.map(markLate) } : value;
}

/** `copies: 2` of `[a, b]` is `[a, b, a, b]`. */
function withCopies({ fields, ...options }: ObjectPlan): ObjectPlan {
  const copies = fields.find(({ name }) => name === "copies")?.value;
  const count = copies?.kind === "Literal" ? Number(copies.value) : 1;
  const others = fields.filter(({ name }) => name !== "copies");
  return { ...options, fields: others.map((field) => ({ ...field, value: repeated(field, count) })) };
}

function repeated({ name, value }: FieldPlan, count: number): ValuePlan {
  if (value.kind !== "List" || (name !== "inputs" && name !== "outputs")) return value;
  return { ...value, items: Array.from({ length: count }, () => value.items).flat() };
}

/** Marks the cases that check whether a processor failed: they are meant for messages that failed. */
function withCaseFacts({ fields, ...options }: ObjectPlan): ObjectPlan {
  return {
    ...options,
    fields: fields.map((field) => {
      if (field.name !== "cases" || field.value.kind !== "List") return field;
      return { ...field, value: { ...field.value, items: field.value.items.map(withFact) } };
    }),
  };
}

function withFact(item: ValuePlan): ValuePlan {
  if (item.kind !== "Object") return item;
  const check = item.fields.find(({ name }) => name === "check")?.value;
  const output = item.fields.some(({ name }) => name === "output");
  if (!output || check?.kind !== "QueryPlan" || !readsFailure(check)) return item;
  const fact = { name: "reads_failure", value: { kind: "Literal", value: true }, defaulted: false } as const;
  return { ...item, fields: [...item.fields, fact] };
}

/** Returns the options with the written order, or with the order that follows from the branches if none is written. */
export function withBranchOrder(component: ComponentNode, options: ObjectPlan): ObjectPlan {
  const written = options.fields.find((field) => field.name === "order")?.value;
  const isWorkflow = descriptorOf("processor", component)?.flow.kind === "workflow";
  if (!isWorkflow || (written?.kind === "List" && written.items.length > 0)) return options;
  const derived = orderBranches(component);
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
