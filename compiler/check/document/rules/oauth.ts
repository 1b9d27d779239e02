// Clients that get tokens of the gateway's own, against the policies and APIs of the set.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import { listenPathOf } from "../../../model/listen-path.ts";
import { asksWhoCalls, type SecurityScheme, securityOf, securitySchemes } from "../../../model/security.ts";
import { hasStore } from "../../../model/store.ts";
import type { ApiDocument, ApiSet } from "../../../trees/api.ts";
import { type DocumentNode, findNode, findText } from "../../../trees/document.ts";
import { itemsOf, policyIds } from "../access-rights.ts";
import { findField } from "../components.ts";
import type { SetFacts } from "../set-facts.ts";

/**
 * Reports policies of clients and of tokens that are not there, tokens that nobody gives out, and APIs that listen where
 * they are given out. A store may hold policies and clients, too, which nobody can look into here.
 */
export function checkOauth({ set, served }: Pick<SetFacts, "set" | "served">, report: Report): void {
  if (set.settings === undefined) return;
  const clients = itemsOf(findNode(set.settings, "oauth_clients"));
  const isOfStore = hasStore(set.settings) && findNode(set.settings, "oauth") !== undefined;
  if (clients.length > 0 || isOfStore) for (const api of served) checkListenPath(api, report);
  if (hasStore(set.settings)) return;
  for (const client of clients) checkPolicy(findNode(client, "policy_id"), set, report);
  for (const api of served.filter(asksWhoCalls)) {
    checkPoliciesOfTokens(api, set, report);
    if (clients.length === 0) checkGivenOut(api, report);
  }
}

function checkListenPath(api: ApiDocument, report: Report): void {
  const node = findNode(api.gateway, "server", "listenPath", "value");
  if (listenPathOf(api).startsWith("/oauth/")) report("GW4217", node?.span ?? api.idSpan, { api: api.id });
}

function checkPoliciesOfTokens({ gateway }: ApiDocument, set: ApiSet, report: Report): void {
  const schemes = findNode(gateway, "server", "authentication", "securitySchemes");
  for (const { value } of schemes?.kind === "map" ? schemes.entries : []) {
    const mapped = itemsOf(findNode(value, "scopes", "scopeToPolicyMapping"));
    const named = [
      ...itemsOf(findNode(value, "defaultPolicies")),
      ...mapped.map((each) => findNode(each, "policyId")),
    ];
    for (const node of named) checkPolicy(node, set, report);
  }
}

function checkPolicy(node: DocumentNode | undefined, set: ApiSet, report: Report): void {
  const policy = findText(node);
  if (node === undefined || policy === undefined || policy.includes("${")) return;
  const known = policyIds(set);
  if (!known.includes(policy)) report("GW4070", node.span, { policy, closest: suggest(policy, known) });
}

function checkGivenOut(api: ApiDocument, report: Report): void {
  const own = new Set(
    securitySchemes(api)
      .filter(isOwn)
      .map(({ name }) => name),
  );
  const { general, operations } = securityOf(api);
  const lists = [general, ...operations.map(({ requirements }) => requirements)];
  const asked = lists.flat().flatMap(({ schemes }) => schemes);
  const first = asked.find(({ name }) => own.has(name));
  if (first !== undefined) report("GW4216", first.nameSpan, { scheme: first.name });
}

/** Whether tokens of the scheme are those that the gateway gives out. */
function isOwn({ kind, settings }: SecurityScheme): boolean {
  const others = ["introspection", "source", "jwksURIs"];
  return kind === "oauth2" && others.every((name) => findField(settings, name) === undefined);
}
