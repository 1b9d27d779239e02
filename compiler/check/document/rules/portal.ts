// Rules about the portal, its webhooks, and single sign-on, of the portal and of the management service.

import { descriptorOf } from "../../../../schemas/component.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { componentsOf, findKey } from "../../../model/components.ts";
import type { SetModel } from "../../../model/set.ts";
import { hasPage, type PortalModel } from "../../../model/settings.ts";
import type { ComponentNode, ObjectField } from "../../../trees/api.ts";
import { findField, findNamedField } from "../../../trees/fields.ts";

/** Reports accounts whose links cannot be sent, or lead nowhere. */
function checkAccounts(portal: PortalModel, report: Report): void {
  const accounts = findNamedField(portal.fields, "accounts");
  if (accounts === undefined) return;
  if (findField(portal.fields, "smtp") === undefined)
    report("GW4261", accounts.nameSpan, { missing: "smtp" });
  if (!hasPage(portal)) report("GW4261", accounts.nameSpan, { missing: "page" });
}

/**
 * Reports APIs that listen where the portal is served, which takes those requests before them, settings of webhooks without
 * a portal, and accounts without what they need.
 */
export function checkPortal({ process, served }: SetModel, report: Report): void {
  const { portal, webhooks } = process;
  // A portal that is written without `enabled` is reported as that.
  const isSwitched = portal.fields === undefined || findNamedField(portal.fields, "enabled") !== undefined;
  if (webhooks !== undefined && !portal.isEnabled && isSwitched) report("GW4276", webhooks.keySpan, {});
  if (portal.isEnabled) checkAccounts(portal, report);
  if (!portal.isEnabled || portal.listen !== undefined) return;
  for (const { id, idSpan, listenPath, writtenListenPath } of served) {
    if (listenPath.startsWith("/api/portal/"))
      report("GW4260", writtenListenPath?.node.span ?? idSpan, { api: id });
  }
}

/** Headers that say how a webhook travels or who signed it; the portal leaves them out of what events bring. */
const ownHeaders =
  /^(?:webhook-.*|user-agent|connection|content-length|expect|host|keep-alive|proxy-authorization|te|trailer|transfer-encoding|upgrade)$/i;

/** Reports outputs without a portal, addresses of portals that are not used, and headers that are not sent. */
export function checkPortalWebhooks({ process, served }: SetModel, report: Report): void {
  const isOwn = process.portal.isEnabled;
  for (const stream of served.flatMap((api) => api.streams)) {
    for (const component of componentsOf(stream).filter(isPortalWebhook)) {
      const address = findKey(component, "portal_url");
      if (address === undefined && !isOwn) report("GW4277", component.nameSpan, {});
      if (address !== undefined && isOwn) report("GW4278", address.keySpan, {});
      checkHeaders(component, report);
    }
  }
}

function isPortalWebhook({ role, descriptor }: ComponentNode): boolean {
  return role === "output" && descriptorOf("output", { descriptor })?.isPortalWebhook === true;
}

function checkHeaders({ config }: ComponentNode, report: Report): void {
  const headers = findField(config, "headers");
  if (headers?.kind !== "Object") return;
  for (const { name, nameSpan } of headers.fields) {
    if (ownHeaders.test(name)) report("GW4279", nameSpan, { header: name });
  }
}

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
