// Checks `management.yaml` and reports what is wrong with its values.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { type Option, optionsNamed } from "../../model/options.ts";
import { type SourceFile, type Span, spanOf } from "../../source/source.ts";
import type { ObjectField } from "../../trees/api.ts";
import type { MapNode } from "../../trees/document.ts";
import { checkValues } from "./check-component.ts";
import { checkRoles } from "./rules/portal.ts";
import { checkShape } from "./shape.ts";

const settings = optionsNamed(["single_sign_on", "organisations"]);
const organisationOptions = optionsNamed(["hosts"]);

/** Checks `management.yaml` with its schema, and each of its values. */
export function checkManagement(
  { file, root, fields }: { readonly file: SourceFile; readonly root: MapNode; readonly fields: ObjectField },
  report: Report,
): void {
  const schema = documentSchemas.management;
  const place = { node: root, name: "management.yaml", nameSpan: spanOf(file, 0, 0), schema };
  checkShape(place, fields, report);
  checkValues({ ...place, value: fields }, report);
  const options = settings({ value: fields, schema });
  if (options === undefined) return;
  checkHosts(options.organisations, report);
  checkRoles(options.single_sign_on, report);
}

/** Reports host names that are assigned to two organisations, in any spelling. */
function checkHosts(organisations: Option, report: Report): void {
  const owners = new Map<string, { readonly organisation: string; readonly span: Span }>();
  for (const { name: organisation, ...block } of organisations.members) {
    for (const host of organisationOptions(block)?.hosts.items ?? []) {
      if (host.kind !== "Literal") continue;
      const name = String(host.value).toLowerCase().replace(/\.$/, "");
      const first = owners.get(name) ?? { organisation, span: host.span };
      owners.set(name, first);
      if (first.organisation === organisation) continue;
      const related = { span: first.span, message: "It is assigned here." };
      report("GW4335", host.span, { host: name, organisation: first.organisation }, related);
    }
  }
}
