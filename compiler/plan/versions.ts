// Where an API is found besides its listen path: its host name, and as a version of itself and of others.

import { invariant } from "../diagnostics/invariant.ts";
import type { ApiModel } from "../model/api.ts";
import type { ApiPlan, FieldPlan, ValuePlan, VersionsPlan } from "./plan.ts";
import { planField, type ScriptPlanner } from "./plan-field.ts";

/** What an API plan says of it. */
export function planFinding(
  api: ApiModel,
  scripts: ScriptPlanner,
): Pick<ApiPlan, "host" | "internal" | "versions"> {
  const { host, hostField: name } = api;
  const versions = planVersions(api);
  return {
    ...(host === undefined || name === undefined ? {} : { host: planField(name, scripts) }),
    ...(api.isInternal ? { internal: true } : {}),
    ...(versions === undefined ? {} : { versions }),
  };
}

/** Those of APIs that do not run are among them: such APIs may come while the gateway runs. */
function planVersions(api: ApiModel): VersionsPlan | undefined {
  const versioning = api.versioning;
  if (versioning === undefined) return undefined;
  const { location, key, versions, fallback, takesUnknown, isStripped, span } = versioning;
  invariant(location !== undefined, "a checked document says where its versions are named");
  const items = versions.map(({ name, id }) => objectOf([field("name", name), field("id", id)]));
  const fields = [
    ...(location === "url" || key === undefined ? [] : [field("key", key)]),
    { name: "versions", value: { kind: "List", items }, defaulted: false } as const,
    field("default", fallback),
    ...(takesUnknown ? [field("fallbackToDefault", true)] : []),
    ...(isStripped ? [field("stripVersioningData", true)] : []),
  ];
  const origin = { span, path: "x-gw-api-gateway.info.versioning" };
  return { location, origin, options: { kind: "Object", fields } };
}

function objectOf(fields: readonly FieldPlan[]): ValuePlan {
  return { kind: "Object", fields };
}

function field(name: string, value: string | boolean): FieldPlan {
  return { name, value: { kind: "Literal", value }, defaulted: false };
}
