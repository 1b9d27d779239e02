// `store` and `portal` of a set in, where records are kept and who serves them out; for `portal_webhook`, the portal of the set
// or the token for one elsewhere.

import { documentSchemas } from "../../schemas/catalogue.ts";
import { descriptorOf, runtimeOf } from "../../schemas/component.ts";
import type { SettingsModel } from "../model/settings.ts";
import type { FieldNode } from "../trees/api.ts";
import type { FieldPlan, ObjectPlan, StorePlan, ValuePlan } from "./plan.ts";
import { planField, type ScriptPlanner } from "./plan-field.ts";
import { plannedOptions } from "./planned-options.ts";
import { withMakers } from "./values.ts";

/** The variable that holds the access token for a portal elsewhere. */
const tokenVariable = "GW_PORTAL_TOKEN";

/** What a value inside of which outputs stand is in a set that has, or has not, a portal of its own. */
export function withPortal<V extends ValuePlan>(value: V, hasPortal: boolean): V;

export function withPortal(value: ValuePlan, hasPortal: boolean): ValuePlan {
  if (value.kind === "List") {
    return { ...value, items: value.items.map((item) => withPortal(item, hasPortal)) };
  }
  if (value.kind === "Object") {
    return {
      ...value,
      fields: value.fields.map((field) => ({ ...field, value: withPortal(field.value, hasPortal) })),
    };
  }
  if (value.kind !== "Component") return value;
  const options = withPortal(value.options, hasPortal);
  const descriptor = value.role === "output" ? descriptorOf("output", value) : undefined;
  if (descriptor?.isPortalWebhook !== true) return { ...value, options };
  const completed = complete(options, hasPortal);
  return { ...value, options: completed, runtime: runtimeOf(descriptor, plannedOptions(completed)) };
}

function complete({ fields, ...options }: ObjectPlan, hasPortal: boolean): ObjectPlan {
  if (hasPortal) return { ...options, fields: fields.filter(({ name }) => name !== "portal_url") };
  const token: FieldPlan = {
    name: "token",
    value: { kind: "Environment", type: "string", parts: [{ kind: "Variable", name: tokenVariable }] },
    defaulted: false,
  };
  return { ...options, fields: [...fields, token] };
}

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
