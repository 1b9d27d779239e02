// The `upstream` block of a document in, what requests are sent on by out.

import { documentSchemas } from "../../schemas/catalogue.ts";
import type { ApiModel } from "../model/api.ts";
import { withDefaults } from "./defaults.ts";
import type { ApiPlan, FieldPlan } from "./plan.ts";
import { planField, planObject, type ScriptPlanner } from "./plan-field.ts";

/** Fields that say how requests are sent; the others are about which. */
const names: ReadonlySet<string> = new Set([
  ...["url", "preserveHostHeader", "allowedOverrideHeaders", "timeouts", "tls", "tlsTransport", "proxy"],
]);

/** The upstream of an API; nothing where the document names no address. */
export function planUpstream(
  api: ApiModel,
  scripts: ScriptPlanner,
): Pick<ApiPlan, "upstream" | "upstreamOrigin"> {
  const { fields: block, url } = api.upstream;
  if (block === undefined || url === undefined || (url.kind === "Literal" && url.value === "")) return {};
  const written = planObject(block, scripts);
  const { fields } = withDefaults(
    { kind: "Object", fields: written.fields.filter(({ name }) => names.has(name)) },
    documentSchemas.apiGateway.properties?.upstream ?? {},
  );
  const strip = api.stripsListenPath;
  const stripping = strip === undefined ? [] : [stripsListenPath(planField(strip, scripts))];
  return {
    upstream: { kind: "Object", fields: [...fields.filter(({ name }) => names.has(name)), ...stripping] },
    upstreamOrigin: { span: url.span, path: "x-gw-api-gateway.upstream.url" },
  };
}

function stripsListenPath(value: FieldPlan["value"]): FieldPlan {
  const isDefault = value.kind === "Literal" && value.value === true;
  return { name: "stripsListenPath", value, defaulted: isDefault };
}
