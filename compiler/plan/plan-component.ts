// Components as plan values: every option the component's schema knows, with its default where the
// document is silent.

import { findSchema } from "../../schemas/catalogue.ts";
import { parseDuration } from "../../schemas/duration.ts";
import type { Schema } from "../../schemas/schema.ts";
import { invariant } from "../diagnostics/invariant.ts";
import type { ComponentNode } from "../parse/document/api.ts";
import type { ComponentPlan, FieldPlan, ObjectPlan, ValuePlan } from "./plan.ts";
import { planField, type ScriptPlanner } from "./plan-field.ts";

/** The plan of a component that stands at `path` of its document. */
export function planComponent(component: ComponentNode, path: string, scripts: ScriptPlanner): ComponentPlan {
  const schema = findSchema(component.role, component.name);
  invariant(schema !== undefined, `the ${component.role} \`${component.name}\` has a schema`);
  const written = planField(component.config, scripts, path);
  return {
    kind: "Component",
    role: component.role,
    name: component.name,
    origin: { span: component.nameSpan, path },
    ...(component.label === undefined ? {} : { label: component.label }),
    // A component whose value is a bare script, such as `mapping`, has it as its only option.
    options:
      written.kind === "Object"
        ? withDefaults(written, schema)
        : { kind: "Object", fields: [{ name: "value", value: written, defaulted: false }] },
  };
}

function withDefaults(written: ObjectPlan, schema: Schema): ObjectPlan {
  const properties = schema.properties ?? {};
  const fields = written.fields.map((field): FieldPlan => {
    const property = properties[field.name];
    return property === undefined ? field : { ...field, ...completed(field.value, property) };
  });
  const names = new Set(fields.map((field) => field.name));
  const silent = Object.entries(properties).flatMap(([name, property]): FieldPlan[] => {
    const value = names.has(name) ? undefined : defaultOf(property);
    return value === undefined ? [] : [{ name, value, defaulted: true }];
  });
  return { kind: "Object", fields: [...fields, ...silent] };
}

function completed(value: ValuePlan, schema: Schema): { value: ValuePlan; defaulted: boolean } {
  const whole =
    value.kind === "Object" && schema.properties !== undefined ? withDefaults(value, schema) : value;
  const fallback = defaultOf(schema);
  return { value: whole, defaulted: fallback !== undefined && sameValue(whole, fallback) };
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
