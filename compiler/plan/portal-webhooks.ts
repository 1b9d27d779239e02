// Planned outputs in, with what `portal_webhook` needs: the portal of the set, or the token for one elsewhere.

import { descriptorOf, runtimeOf } from "../../schemas/component.ts";
import type { FieldPlan, ObjectPlan, ValuePlan } from "./plan.ts";
import { plannedOptions } from "./planned-options.ts";

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
