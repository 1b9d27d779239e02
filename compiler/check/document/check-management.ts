// Checks `management.yaml` and reports what is wrong with its values.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { type SourceFile, type Span, spanOf } from "../../source/source.ts";
import type { ObjectField } from "../../trees/api.ts";
import type { MapNode } from "../../trees/document.ts";
import { findField } from "../../trees/fields.ts";
import { checkValues } from "./check-component.ts";
import { checkRoles } from "./rules/portal.ts";
import { checkShape } from "./shape.ts";

/** Checks `management.yaml` with its schema, and each of its values. */
export function checkManagement(
  { file, root, fields }: { readonly file: SourceFile; readonly root: MapNode; readonly fields: ObjectField },
  report: Report,
): void {
  const schema = documentSchemas.management;
  const place = { node: root, name: "management.yaml", nameSpan: spanOf(file, 0, 0), schema };
  checkShape(place, fields, report);
  checkValues({ ...place, value: fields }, report);
  checkHosts(fields, report);
  const signOn = findField(fields, "single_sign_on");
  if (signOn?.kind === "Object") checkRoles(signOn, report);
}

/** Reports host names that are assigned to two organisations, in any spelling. */
function checkHosts(fields: ObjectField, report: Report): void {
  const owners = new Map<string, { readonly organisation: string; readonly span: Span }>();
  const organisations = findField(fields, "organisations");
  if (organisations?.kind !== "Object") return;
  for (const { name: organisation, value } of organisations.fields) {
    const hosts = findField(value, "hosts");
    for (const host of hosts?.kind === "List" ? hosts.items : []) {
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
