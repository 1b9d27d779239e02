// Makes and inspects plan values: the values they contain, the request variables they read, and which of them a runtime function
// converts.

import type { Schema } from "../../schemas/schema.ts";
import { variablesReadBy } from "./mapping/contents.ts";
import type { MappingPlan, QueryPlan, TemplatePlan, VariableRead } from "./mapping/ir.ts";
import type { FieldPlan, ObjectPlan, ValuePlan } from "./plan.ts";

/** Returns a value that is known when the plan is made. */
export function literal(value: string | number | boolean): ValuePlan {
  return { kind: "Literal", value };
}

/** Returns an object with these fields, none of which is a default. */
export function objectOf(values: Readonly<Record<string, ValuePlan>>): ObjectPlan {
  const fields = Object.entries(values).map(([name, value]) => ({ name, value, defaulted: false }));
  return { kind: "Object", fields };
}

/** Returns a value and every value inside it, outer ones first. */
export function valuesWithin(value: ValuePlan): readonly ValuePlan[] {
  const values: ValuePlan[] = [];
  const add = (each: ValuePlan): void => {
    values.push(each);
    if (each.kind === "Component") add(each.options);
    else if (each.kind === "List") for (const item of each.items) add(item);
    else if (each.kind === "Object") for (const field of each.fields) add(field.value);
    else if (each.kind === "JoinedText") for (const part of each.parts) add(part);
  };
  add(value);
  return values;
}

/** Like `map`, but returns the list itself if no item changes, so that equal parts of plans stay shared. */
export function mapChanged<T>(items: readonly T[], change: (item: T, index: number) => T): readonly T[] {
  const changed = items.map(change);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}

/** Replaces the values of the fields of an object; returns the object itself if none changes. */
export function mapFields(object: ObjectPlan, change: (field: FieldPlan) => ValuePlan): ObjectPlan {
  const fields = mapChanged(object.fields, (field) => {
    const value = change(field);
    return value === field.value ? field : { ...field, value };
  });
  return fields === object.fields ? object : { ...object, fields };
}

/** Returns the request variables that values read, each once, in order. */
export function requestVariablesOf(values: readonly ValuePlan[]): readonly string[] {
  const names = new Set<string>();
  for (const value of values.flatMap(valuesWithin)) {
    for (const { from, name } of variableReadsOf(value)) if (from === "request") names.add(name);
    if (value.kind !== "Environment") continue;
    for (const part of value.parts) if (part.kind === "Request") names.add(part.name);
  }
  return [...names].sort();
}

/** Returns the variables that a script reads; none for any other value. */
export function variableReadsOf(value: ValuePlan): readonly VariableRead[] {
  return scriptsOf(value).flatMap(variablesReadBy);
}

function scriptsOf(value: ValuePlan): readonly (MappingPlan | QueryPlan | TemplatePlan)[] {
  switch (value.kind) {
    case "MappingPlan":
    case "QueryPlan":
    case "TemplatePlan":
      return [value];
    case "MappingSequence":
      return value.steps.map(({ mapping }) => mapping);
    default:
      return [];
  }
}

/** Marks the values that the schema, or a schema inside it, has a runtime function convert (`x-made-by`). */
export function withMakers<T extends ValuePlan>(value: T, schema: Schema): T;

export function withMakers(value: ValuePlan, schema: Schema): ValuePlan {
  if (value.kind === "List") {
    const { items = {} } = schema;
    return { ...value, items: value.items.map((item) => withMakers(item, items)) };
  }
  if (value.kind !== "Object") return value;
  const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  const fields = value.fields.map((field) => {
    const own = schema.properties?.[field.name] ?? others;
    const maker = own["x-made-by"];
    return { ...field, value: withMakers(field.value, own), ...(maker && { maker }) };
  });
  return { ...value, fields };
}
