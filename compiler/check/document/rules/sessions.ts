// MQTT sessions that outlive their connection.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findField, findKey, literalText } from "../components.ts";

/** Reports `clean_session: false` without the name under which the broker keeps the session, or with a changing one. */
export function checkSession(component: ComponentNode, report: Report): void {
  const { config } = component;
  const clean = findField(config, "clean_session");
  if (clean?.value.kind !== "Literal" || clean.value.value !== false) return;
  const id = findField(config, "client_id");
  if (findKey(component, "client_id") === undefined || literalText(id?.value) === "")
    report("GW4043", clean.nameSpan, {});
  const suffix = findField(config, "dynamic_client_id_suffix");
  if (suffix !== undefined) report("GW4186", suffix.nameSpan, {});
}
