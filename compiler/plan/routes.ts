// Which routes a stream's components serve, for the route table, the manifest and readers.

import { findSchema } from "../../schemas/catalogue.ts";
import type { ComponentPlan, RoutePlan, ValuePlan } from "./plan.ts";

/** The routes of a component and of all inside it, their paths including `listenPath`. */
export function planRoutes(component: ComponentPlan, listenPath: string): readonly RoutePlan[] {
  return [...ownRoutes(component, listenPath), ...nestedRoutes(component.options, listenPath)];
}

function ownRoutes(component: ComponentPlan, listenPath: string): RoutePlan[] {
  const properties = findSchema(component.role, component.name)?.properties ?? {};
  const verbs = literalTexts(component, "allowed_verbs");
  return component.options.fields.flatMap(({ name, value }): RoutePlan[] => {
    const transport = properties[name]?.["x-route"];
    if (transport === undefined || value.kind !== "Literal" || typeof value.value !== "string") return [];
    if (value.value === "") return [];
    const path = listenPath + value.value.replace(/^\/+/, "");
    return [{ transport, verbs: transport === "http" ? verbs : ["GET"], path }];
  });
}

function nestedRoutes(value: ValuePlan, listenPath: string): readonly RoutePlan[] {
  switch (value.kind) {
    case "Component":
      return planRoutes(value, listenPath);
    case "List":
      return value.items.flatMap((item) => nestedRoutes(item, listenPath));
    case "Object":
      return value.fields.flatMap((field) => nestedRoutes(field.value, listenPath));
    default:
      return [];
  }
}

function literalTexts(component: ComponentPlan, option: string): readonly string[] {
  const value = component.options.fields.find((field) => field.name === option)?.value;
  if (value?.kind !== "List") return [];
  return value.items.flatMap((item) => (item.kind === "Literal" ? [String(item.value)] : []));
}
