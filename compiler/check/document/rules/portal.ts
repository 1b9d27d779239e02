// Rules about the portal, its webhooks, and single sign-on for the portal and the management service.

import { documentSchemas } from "../../../../schemas/catalogue.ts";
import { descriptorOf } from "../../../../schemas/component.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { componentsOf, findKey } from "../../../model/components.ts";
import { type OptionBlock, optionsNamed } from "../../../model/options.ts";
import type { SetModel } from "../../../model/set.ts";
import type { PortalModel } from "../../../model/settings.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { literalText } from "../../../trees/fields.ts";

/** Reports accounts whose links cannot be sent, or have no page to lead to. */
function checkAccounts(portal: PortalModel, report: Report): void {
  const { accounts } = portal;
  if (accounts === undefined) return;
  // What could not be read, or is at the wrong level, has been reported there.
  const unread = [portal.fields, accounts.value].flatMap((each) =>
    each?.kind === "Object" ? (each.unread ?? []) : [],
  );
  const isMissing = { smtp: !portal.hasMail, page: !portal.hasPage };
  for (const missing of ["smtp", "page"] as const) {
    if (isMissing[missing] && !unread.includes(missing)) report("GW4261", accounts.nameSpan, { missing });
  }
}

/** The languages whose messages the portal has of its own. */
const ownLanguages = ["en", "de"];

/** Reports a default language without messages, with which the gateway does not start. */
function checkLanguages({ languages }: PortalModel, report: Report): void {
  const { field: block, default: field, hasAdditional } = languages;
  const value = literalText(field);
  const isUnread = block?.kind === "Object" && (block.unread ?? []).length > 0;
  if (field === undefined || value === undefined || hasAdditional || isUnread) return;
  if (ownLanguages.includes(value)) return;
  const expected = "`en`, `de` or the language of a file in `additional`";
  const example = ownLanguages.find((each) => value.toLowerCase().startsWith(each));
  report("GW4015", field.span, { field: "default", value, expected, example });
}

/**
 * Reports APIs with a listen path that the portal takes over, webhook settings without a portal, and accounts that lack
 * required settings.
 */
export function checkPortal({ process, served }: SetModel, report: Report): void {
  const { portal, webhooks } = process;
  // A portal block without `enabled` is reported elsewhere.
  const isSwitched = portal.fields === undefined || portal.isStated;
  if (webhooks !== undefined && !portal.isEnabled && isSwitched) report("GW4276", webhooks.keySpan, {});
  if (portal.isEnabled) {
    checkAccounts(portal, report);
    checkLanguages(portal, report);
  }
  if (!portal.isEnabled || portal.listen !== undefined) return;
  for (const { id, idSpan, listenPath, writtenListenPath } of served) {
    if (listenPath.startsWith("/api/portal/"))
      report("GW4260", writtenListenPath?.node.span ?? idSpan, { api: id });
  }
}

/** Headers that describe the transport or signature of a webhook; the portal does not take them from events. */
const ownHeaders =
  /^(?:webhook-.*|user-agent|connection|content-length|expect|host|keep-alive|proxy-authorization|te|trailer|transfer-encoding|upgrade)$/i;

/** Reports webhook outputs without a portal, portal addresses that are not used, and headers that are not sent. */
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

const webhookOptions = optionsNamed(["headers"]);

function checkHeaders(component: ComponentNode, report: Report): void {
  for (const { name, nameSpan } of webhookOptions(component)?.headers.fields ?? []) {
    if (ownHeaders.test(name)) report("GW4279", nameSpan, { header: name });
  }
}

/** Reports single sign-on of a portal without a page, and roles that are never assigned. */
export function checkPortalSignOn({ process: { portal } }: SetModel, report: Report): void {
  const { signOn } = portal;
  if (signOn === undefined || !portal.isEnabled) return;
  if (!portal.hasPage) report("GW4262", signOn.nameSpan, {});
  checkRoles({ value: signOn.value, schema: signOnSchema }, report);
}

const signOnSchema = documentSchemas.gateway.properties?.portal?.properties?.single_sign_on ?? {};
const signOnOptions = optionsNamed(["roles"]);
const roleOptions = optionsNamed(["value"]);

/** Reports roles after an earlier role for the same group or for everyone. */
export function checkRoles(signOn: OptionBlock, report: Report): void {
  const seen = new Set<unknown>();
  for (const role of signOnOptions(signOn)?.roles.blocks ?? []) {
    const value = roleOptions(role)?.value.value;
    if (value?.kind !== "Literal") continue;
    const before = ["*", value.value].find((each) => seen.has(each));
    if (before !== undefined) report("GW4263", value.span, { value: String(before) });
    seen.add(value.value);
  }
}
