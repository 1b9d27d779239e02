// Adds schema defaults to plan values: after this, every option in a component's schema has a value in the plan.

import { parseDuration } from "../../schemas/duration.ts";
import type { Schema } from "../../schemas/schema.ts";
import { invariant } from "../diagnostics/invariant.ts";
import type { FieldPlan, ObjectPlan, ValuePlan } from "./plan.ts";
import { withMakers } from "./values.ts";

/** Returns the written options, marked if they equal the default, and the defaults of the options that are not written. */
export function withDefaults(written: ObjectPlan, schema: Schema): ObjectPlan {
  const properties = schema.properties ?? {};
  const fields = written.fields.map((field): FieldPlan => {
    const property = properties[field.name];
    return property === undefined ? field : { ...field, ...completed(field.value, property) };
  });
  const names = new Set(fields.map((field) => field.name));
  const silent = defaultsOf(schema).filter(({ name }) => !names.has(name));
  return { kind: "Object", fields: [...fields, ...silent] };
}

/** The defaults of the options of a schema, which all components of that kind share. */
const knownDefaults = new WeakMap<Schema, readonly FieldPlan[]>();

function defaultsOf(schema: Schema): readonly FieldPlan[] {
  const known = knownDefaults.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]): FieldPlan[] => {
    const value = defaultOf(property);
    return value === undefined ? [] : [{ name, value, defaulted: true }];
  });
  knownDefaults.set(schema, fields);
  return fields;
}

function completed(value: ValuePlan, schema: Schema): Omit<FieldPlan, "name"> {
  const whole =
    value.kind === "Object" && schema.properties !== undefined
      ? withDefaults(value, schema)
      : value.kind === "List"
        ? withMakers(value, schema)
        : value;
  const fallback = defaultOf(schema);
  const maker = schema["x-made-by"];
  const brings = schema["x-brings"];
  const defaulted =
    (fallback !== undefined && sameValue(whole, fallback)) ||
    (maker !== undefined && isSwitchedOff(whole, schema));
  return { value: whole, defaulted, ...(maker && { maker }), ...(brings && { brings }) };
}

/** Whether a block is disabled (`enabled: false`), so that nothing is created from it. */
function isSwitchedOff(value: ValuePlan, schema: Schema): boolean {
  if (schema["x-switched"] !== true || value.kind !== "Object") return false;
  const enabled = value.fields.find(({ name }) => name === "enabled")?.value;
  return enabled?.kind === "Literal" && enabled.value === false;
}

function defaultOf(schema: Schema): ValuePlan | undefined {
  return schema.default === undefined ? undefined : planDefault(schema.default, schema);
}

function planDefault(value: unknown, schema: Schema): ValuePlan {
  if (typeof value === "string" && schema["x-unit"] === "duration") {
    return { kind: "Literal", value: parseDuration(value) ?? 0 };
  }
  if (Array.isArray(value)) {
    return { kind: "List", items: value.map((item) => planDefault(item, schema.items ?? {})) };
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([name, each]) => {
      return { name, value: planDefault(each, schema.properties?.[name] ?? {}), defaulted: true };
    });
    return { kind: "Object", fields };
  }
  invariant(
    value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean",
    "a default is JSON",
  );
  return { kind: "Literal", value };
}

function sameValue(a: ValuePlan, b: ValuePlan): boolean {
  if (a.kind === "Literal" && b.kind === "Literal") return a.value === b.value;
  if (a.kind === "List" && b.kind === "List") {
    return a.items.length === b.items.length && a.items.every((item, index) => sameAt(item, b.items[index]));
  }
  return false;
}

function sameAt(a: ValuePlan, b: ValuePlan | undefined): boolean {
  return b !== undefined && sameValue(a, b);
}
