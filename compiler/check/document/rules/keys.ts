// The keys of a set: who gets in by them, and whether each is there once.

import type { Report } from "../../../diagnostics/sink.ts";
import { asksWhoCalls, type SecurityScheme, securityOf, securitySchemes } from "../../../model/security.ts";
import { hasStore } from "../../../model/store.ts";
import type { ApiDocument, ApiSet } from "../../../trees/api.ts";
import { type DocumentNode, findEntry, findNode, findText } from "../../../trees/document.ts";
import { itemsOf } from "../access-rights.ts";
import { findField } from "../components.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports APIs that nobody can call, keys that may call too much, and entries of which only one can count. */
export function checkKeys({ set, served }: Pick<SetFacts, "set" | "served">, report: Report): void {
  const keys = itemsOf(findNode(set.settings, "keys"));
  if (keys.length === 0) for (const api of served) checkReachable(api, set, report);
  for (const key of keys) checkRights(key, report);
  reportTwice(keys, "key_hash", report);
  reportTwice(keys, "username", report);
  reportTwice(itemsOf(findNode(set.settings, "policies")), "id", report);
  reportTwice(itemsOf(findNode(set.settings, "oauth_clients")), "client_id", report);
}

/** A single document is served by whoever has the keys. */
function checkReachable(api: ApiDocument, { settings }: ApiSet, report: Report): void {
  if (settings === undefined || hasStore(settings) || !asksWhoCalls(api)) return;
  const schemes = new Map(securitySchemes(api).map((scheme) => [scheme.name, scheme]));
  const isByKey = (name: string) => asksForKey(schemes.get(name));
  const { general } = securityOf(api);
  const [first] = general.flatMap(({ schemes }) => schemes);
  if (first !== undefined && general.every(({ schemes }) => schemes.some(({ name }) => isByKey(name))))
    report("GW4207", first.nameSpan, { api: api.id });
}

/** Whether a scheme lets in nobody but keys: also tokens that are signed with theirs, and their certificates. */
function asksForKey(scheme: SecurityScheme | undefined): boolean {
  const has = (name: string) => findField(scheme?.settings, name) !== undefined;
  switch (scheme?.kind) {
    case "auth-token":
    case "basic":
    case "signature":
      return true;
    case "jwt":
      return !has("source") && !has("jwksURIs");
    case "mutual-tls":
      return !has("allowlist");
    default:
      return false;
  }
}

function checkRights(key: DocumentNode, report: Report): void {
  const rights = findEntry(key, "access_rights");
  const isEmpty = rights?.value.kind === "map" && rights.value.entries.length === 0;
  const hasPolicies = itemsOf(findNode(key, "apply_policies")).length > 0;
  if (rights !== undefined && isEmpty && !hasPolicies) report("GW4208", rights.keySpan, {});
}

function reportTwice(records: readonly DocumentNode[], field: string, report: Report): void {
  const seen = new Set<string>();
  for (const record of records) {
    const node = findNode(record, field);
    const written = findText(node);
    // What a variable holds is seen when the gateway starts.
    if (node === undefined || written === undefined || written.includes("${")) continue;
    const value = field === "key_hash" ? written.toLowerCase() : written;
    if (seen.has(value)) report("GW4209", node.span, { field });
    seen.add(value);
  }
}
