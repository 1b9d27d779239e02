// Clients that get tokens of the gateway's own, against the policies and APIs of the set.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { ApiAuthentication } from "../../../model/security.ts";
import type { SetModel } from "../../../model/set.ts";
import type { SettingsModel } from "../../../model/settings.ts";
import { itemsOf } from "../../../model/written.ts";
import { type DocumentNode, findNode, findText } from "../../../trees/document.ts";
import { checkPolicyName } from "./access.ts";

/**
 * Reports policies of clients and of tokens that are not there, tokens that are never issued, and APIs that listen where
 * they are given out. A store may hold policies and clients, too, which are not known here.
 */
export function checkOauth({ settings, process, served }: SetModel, report: Report): void {
  if (settings === undefined) return;
  const { oauth, hasStore } = process;
  if (oauth.isOffered) for (const api of served) checkListenPath(api, report);
  const asking = served.filter((api) => api.authentication.isRequired);
  if (!oauth.isOffered)
    for (const { authentication } of asking) checkGivenOut(authentication, hasStore, report);
  for (const client of oauth.clients) checkPolicy(findNode(client, "policy_id"), process, report);
  for (const { authentication } of asking) checkPoliciesOfTokens(authentication, process, report);
}

function checkListenPath({ id, idSpan, listenPath, writtenListenPath }: ApiModel, report: Report): void {
  if (listenPath.startsWith("/oauth/")) report("GW4217", writtenListenPath?.node.span ?? idSpan, { api: id });
}

function checkPoliciesOfTokens(
  { configured }: ApiAuthentication,
  settings: SettingsModel,
  report: Report,
): void {
  for (const { value } of configured) {
    const mapped = itemsOf(findNode(value, "scopes", "scopeToPolicyMapping"));
    const named = [
      ...itemsOf(findNode(value, "defaultPolicies")),
      ...mapped.map((each) => findNode(each, "policyId")),
    ];
    for (const node of named) checkPolicy(node, settings, report);
  }
}

function checkPolicy(node: DocumentNode | undefined, settings: SettingsModel, report: Report): void {
  const policy = findText(node);
  if (node === undefined || policy === undefined || policy.includes("${")) return;
  checkPolicyName(policy, node.span, settings, report);
}

function checkGivenOut({ schemes, security }: ApiAuthentication, hasStore: boolean, report: Report): void {
  const first = security.asked.find(({ name }) => {
    const scheme = schemes.get(name);
    return scheme?.kind === "oauth2" && scheme.verification === "own";
  });
  if (first !== undefined) report("GW4216", first.nameSpan, { scheme: first.name, hasStore });
}
