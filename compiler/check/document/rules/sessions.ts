// MQTT sessions that outlive their connection.

import type { Report } from "../../../diagnostics/sink.ts";
import { findKey } from "../../../model/components.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findNamedField, literalText } from "../../../trees/fields.ts";

/** Reports `clean_session: false` without the name under which the broker keeps the session, or with a changing one. */
export function checkSession(component: ComponentNode, report: Report): void {
  const { config } = component;
  const clean = findNamedField(config, "clean_session");
  if (clean?.value.kind !== "Literal" || clean.value.value !== false) return;
  const id = findNamedField(config, "client_id");
  if (findKey(component, "client_id") === undefined || literalText(id?.value) === "")
    report("GW4043", clean.nameSpan, {});
  const suffix = findNamedField(config, "dynamic_client_id_suffix");
  if (suffix !== undefined) report("GW4186", suffix.nameSpan, {});
}
