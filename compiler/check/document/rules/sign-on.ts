// Rules about single sign-on, of the portal and of the management service.

import type { Report } from "../../../diagnostics/sink.ts";
import type { SetModel } from "../../../model/set.ts";
import { hasPage } from "../../../model/settings.ts";
import type { ObjectField } from "../../../trees/api.ts";
import { findField, findNamedField } from "../../../trees/fields.ts";

/** Reports single sign-on of a portal that has no page, and roles that are never assigned. */
export function checkPortalSignOn({ process: { portal } }: SetModel, report: Report): void {
  const signOn = findNamedField(portal.fields, "single_sign_on");
  if (signOn === undefined || !portal.isEnabled) return;
  if (!hasPage(portal)) report("GW4262", signOn.nameSpan, {});
  if (signOn.value.kind === "Object") checkRoles(signOn.value, report);
}

/** Reports roles that follow one for the same group, or for all people. */
export function checkRoles(signOn: ObjectField, report: Report): void {
  const roles = findField(signOn, "roles");
  const seen = new Set<unknown>();
  for (const role of roles?.kind === "List" ? roles.items : []) {
    const value = role.kind === "Object" ? findField(role, "value") : undefined;
    if (value?.kind !== "Literal") continue;
    const before = ["*", value.value].find((each) => seen.has(each));
    if (before !== undefined) report("GW4263", value.span, { value: String(before) });
    seen.add(value.value);
  }
}
