// `policies` and `keys` of a set in, what the gateway knows of its callers out.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { ApiSet } from "../../parse/document/api.ts";
import { asksWhoCalls } from "../../parse/document/security.ts";
import { isServed } from "../../parse/document/served.ts";
import { withMakers } from "../makers.ts";
import type { ObjectPlan } from "../plan.ts";
import { planField, type ScriptPlanner } from "../plan-field.ts";

const names = ["policies", "keys"];

/** The records, where an API of the set asks who calls; a gateway that asks nobody carries none. */
export function planKeys({ apis, settingsFields }: ApiSet, scripts: ScriptPlanner): ObjectPlan | undefined {
  if (settingsFields === undefined || !apis.filter(isServed).some(asksWhoCalls)) return undefined;
  const written = settingsFields.fields.filter(({ name }) => names.includes(name));
  if (written.length === 0) return undefined;
  const schemas = documentSchemas.gateway.properties ?? {};
  const fields = written.map(({ name, value }) => ({
    name,
    value: withMakers(planField(value, scripts), schemas[name] ?? {}),
    defaulted: false,
  }));
  return { kind: "Object", fields };
}
