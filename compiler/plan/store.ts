// `store` and `portal` of a set in, where records are kept and who serves them out.

import { documentSchemas } from "../../schemas/catalogue.ts";
import type { SettingsModel } from "../model/settings.ts";
import type { FieldNode } from "../trees/api.ts";
import type { FieldPlan, ObjectPlan, StorePlan } from "./plan.ts";
import { planField, type ScriptPlanner } from "./plan-field.ts";
import { withMakers } from "./values.ts";

/** The store, where the settings name one or the portal needs one. */
export function planStore({ store, hasStore }: SettingsModel, scripts: ScriptPlanner): StorePlan | undefined {
  if (!hasStore) return undefined;
  return store?.field === undefined ? {} : { address: planField(store.field, scripts) };
}

/** The portal, where it is switched on; a gateway without it carries nothing of it. */
export function planPortal(
  { portal, webhooks }: SettingsModel,
  scripts: ScriptPlanner,
): ObjectPlan | undefined {
  const written = portal.fields;
  if (!portal.isEnabled || written === undefined) return undefined;
  const known = documentSchemas.gateway.properties?.portal?.properties ?? {};
  const own = written.fields.filter(({ name }) => name !== "enabled" && Object.hasOwn(known, name));
  // What stands beside the portal is the portal's, too.
  const beside = webhooks?.field?.kind === "Object" ? [{ name: "webhooks", value: webhooks.field }] : [];
  const fields = [...own, ...beside];
  const plan: ObjectPlan = {
    kind: "Object",
    fields: fields.flatMap(({ name, value }) => planPart(name, value, scripts)),
  };
  return withMakers(plan, documentSchemas.gateway.properties?.portal ?? {});
}

/** The page is code of its own, which only those carry who show it. */
function planPart(name: string, value: FieldNode, scripts: ScriptPlanner): readonly FieldPlan[] {
  const planned = { name, value: planField(value, scripts), defaulted: false };
  if (name !== "page") return [planned];
  const isShown = value.kind === "Literal" && value.value === true;
  if (!isShown) return [];
  // Developers see there what is left of their limits.
  return [
    { ...planned, brings: "portal-page" },
    { ...planned, name: "usage", brings: "key-usage" },
  ];
}
