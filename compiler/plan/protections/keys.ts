// `policies` and `keys` of a set in, what the gateway knows of its callers out.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { SetModel } from "../../model/set.ts";
import { withMakers } from "../makers.ts";
import type { ObjectPlan } from "../plan.ts";
import { planField, type ScriptPlanner } from "../plan-field.ts";

const names = ["policies", "keys"];

/**
 * The records, where an API of the set asks who calls; a gateway that asks nobody carries none, but for the portal, which
 * gives out keys for policies.
 */
export function planKeys(
  { settingsFields, process }: SetModel,
  asksWhoCalls: boolean,
  scripts: ScriptPlanner,
): ObjectPlan | undefined {
  if (settingsFields === undefined || !(asksWhoCalls || process.portal.isEnabled)) return undefined;
  const written = settingsFields.fields.filter(({ name }) => names.includes(name));
  if (written.length === 0 && !process.hasStore) return undefined;
  const schemas = documentSchemas.gateway.properties ?? {};
  const fields = written.map(({ name, value }) => ({
    name,
    value: withMakers(planField(value, scripts), schemas[name] ?? {}),
    defaulted: false,
  }));
  return { kind: "Object", fields };
}
