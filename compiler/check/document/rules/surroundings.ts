// Environment variables and files that documents read: never those of the gateway itself, and of an organisation's
// documents only what the organisation may read.

import { documentSchemas } from "../../../../schemas/catalogue.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf, declaredApart } from "../../../model/components.ts";
import type { EnvironmentPart, FieldNode } from "../../../trees/api.ts";
import { fieldsOf } from "../../../trees/fields.ts";
import type { QueryPart } from "../../../trees/mapping.ts";
import { checkSharedNames } from "../shared-names.ts";
import { checkFile, checkVariable, type Tenant } from "../tenant.ts";
import { type SchemedValue, valuesWithin } from "../values.ts";

/** The variable that a portal elsewhere is asked with. */
const portalToken = "GW_PORTAL_TOKEN";

/** Reports what a document reads of its surroundings and may not. Scripts are checked with their calls. */
export function checkSurroundings(api: ApiModel, tenant: Tenant | undefined, report: Report): void {
  for (const field of fieldsOf({ apis: [api] })) {
    const parts = field.kind === "Environment" || field.kind === "Template" ? field.parts : [];
    for (const part of parts) checkPart(part, tenant, report);
  }
  if (tenant === undefined) return;
  for (const whole of wholesOf(api)) {
    for (const value of valuesWithin(whole)) checkValue(value, tenant, report);
  }
}

function checkPart(part: EnvironmentPart | QueryPart, tenant: Tenant | undefined, report: Report): void {
  if (part.kind === "Variable") checkVariable(part.name, part.span, tenant, report);
  if (part.kind === "File" && tenant !== undefined) checkFile(part.path, part.span, tenant, report);
}

/** Values read by a schema: those of the components, and those of the gateway part. */
function wholesOf({ streams, gatewayFields }: ApiModel): readonly SchemedValue[] {
  const components = streams.flatMap((stream) => [...componentsOf(stream), ...declaredApart(stream)]);
  const wholes = components.flatMap(({ name, nameSpan, config: value, descriptor }) => {
    const schema = descriptor?.schema;
    return schema === undefined ? [] : [{ name, nameSpan, value, schema }];
  });
  if (gatewayFields === undefined) return wholes;
  const schema = documentSchemas.apiGateway;
  const own = { name: "x-gw-api-gateway", nameSpan: gatewayFields.span, value: gatewayFields, schema };
  return [...wholes, own];
}

function checkValue(place: SchemedValue, tenant: Tenant, report: Report): void {
  const { name, value, schema } = place;
  checkSharedNames(place, tenant, report);
  // A portal elsewhere would be shown the gateway's own token.
  if (name === "portal_url") checkVariable(portalToken, value.span, tenant, report);
  if (schema["x-file"] !== true || value.kind === "List") return;
  const path = writtenPath(value);
  if (path !== "") checkFile(path, value.span, tenant, report);
}

/** A path that is not written out could be any: what stands for it is not an absolute path. */
function writtenPath(value: FieldNode): string {
  return value.kind === "Literal" ? String(value.value ?? "") : "${…}";
}
