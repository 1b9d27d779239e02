// `store` and `portal` of a set in, where records are kept and who serves them out.

import { documentSchemas } from "../../schemas/catalogue.ts";
import { hasPortal, hasStore } from "../model/store.ts";
import type { ApiSet, FieldNode } from "../trees/api.ts";
import { findField, findObject } from "./find-field.ts";
import { withMakers } from "./makers.ts";
import type { FieldPlan, ObjectPlan, StorePlan } from "./plan.ts";
import { planField, type ScriptPlanner } from "./plan-field.ts";

/** The store, where the settings name one or the portal needs one. */
export function planStore(
  { settings, settingsFields }: ApiSet,
  scripts: ScriptPlanner,
): StorePlan | undefined {
  if (!hasStore(settings)) return undefined;
  const address = findField(settingsFields, "store");
  return address === undefined ? {} : { address: planField(address, scripts) };
}

/** The portal, where it is switched on; a gateway without it carries nothing of it. */
export function planPortal(
  { settings, settingsFields }: ApiSet,
  scripts: ScriptPlanner,
): ObjectPlan | undefined {
  const written = findObject(settingsFields, "portal");
  if (!hasPortal(settings) || written === undefined) return undefined;
  const known = documentSchemas.gateway.properties?.portal?.properties ?? {};
  const own = written.fields.filter(({ name }) => name !== "enabled" && Object.hasOwn(known, name));
  // What stands beside the portal is the portal's, too.
  const webhooks = findObject(settingsFields, "webhooks");
  const fields = [...own, ...(webhooks === undefined ? [] : [{ name: "webhooks", value: webhooks }])];
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
  return isShown ? [{ ...planned, brings: "portal-page" }] : [];
}
