// Plans `store` and `portal` of a set: where records are stored, and whether the portal serves them. Also plans the target of
// `portal_webhook`: the portal of the set, or the token for a portal elsewhere.

import { documentSchemas } from "../../schemas/catalogue.ts";
import { descriptorOf, runtimeOf } from "../../schemas/component.ts";
import type { SettingsModel } from "../model/settings.ts";
import type { FieldNode } from "../trees/api.ts";
import type { FieldPlan, ObjectPlan, StorePlan, ValuePlan } from "./plan.ts";
import { planField, type ScriptPlanner } from "./plan-field.ts";
import { plannedOptions } from "./planned-options.ts";
import { withMakers } from "./values.ts";

/** The environment variable with the access token for a portal elsewhere. */
const tokenVariable = "GW_PORTAL_TOKEN";

/** Returns a value with its outputs adapted to a set with or without a portal of its own. */
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

/** Returns the store if the settings name one or the portal needs one. */
export function planStore({ store, hasStore }: SettingsModel, scripts: ScriptPlanner): StorePlan | undefined {
  if (!hasStore) return undefined;
  return store?.field === undefined ? {} : { address: planField(store.field, scripts) };
}

/** Returns the portal if it is enabled. A gateway without a portal contains no code for it. */
export function planPortal(
  { portal, webhooks }: SettingsModel,
  scripts: ScriptPlanner,
): ObjectPlan | undefined {
  const written = portal.fields;
  if (!portal.isEnabled || written === undefined) return undefined;
  const known = documentSchemas.gateway.properties?.portal?.properties ?? {};
  const own = written.fields.filter(({ name }) => name !== "enabled" && Object.hasOwn(known, name));
  // `webhooks` is written next to `portal` but belongs to the portal.
  const beside = webhooks?.field?.kind === "Object" ? [{ name: "webhooks", value: webhooks.field }] : [];
  const fields = [...own, ...beside];
  const plan: ObjectPlan = {
    kind: "Object",
    fields: fields.flatMap(({ name, value }) => planPart(name, value, scripts)),
  };
  return withMakers(plan, documentSchemas.gateway.properties?.portal ?? {});
}

/** Plans a field of the portal. The page is separate code that only gateways with `page: true` contain. */
function planPart(name: string, value: FieldNode, scripts: ScriptPlanner): readonly FieldPlan[] {
  const planned = { name, value: planField(value, scripts), defaulted: false };
  if (name !== "page") return [planned];
  const isShown = value.kind === "Literal" && value.value === true;
  if (!isShown) return [];
  // The page shows developers the remainder of their limits.
  return [
    { ...planned, brings: "portal-page" },
    { ...planned, name: "usage", brings: "key-usage" },
  ];
}
