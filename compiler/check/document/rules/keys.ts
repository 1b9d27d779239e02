// Rules about the keys of a set: which APIs they give access to, and whether each is unique.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { RequiredScheme } from "../../../model/operations.ts";
import type { SecurityScheme } from "../../../model/security-schemes.ts";
import type { SetModel } from "../../../model/set.ts";
import type { AccessRecord } from "../../../model/settings.ts";
import { type DocumentNode, findNode, findText } from "../../../trees/document.ts";

/** Reports APIs that no caller can use, keys with too many rights, and entries that occur twice. */
export function checkKeys(set: SetModel, report: Report): void {
  const { keys, policies, oauth } = set.process;
  if (keys.length === 0) for (const api of set.served) checkReachable(api, set, report);
  for (const key of keys) checkRights(key, report);
  const nodes = keys.map(({ node }) => node);
  reportTwice(nodes, "key_hash", report);
  reportTwice(nodes, "username", report);
  reportTwice(
    policies.map(({ node }) => node),
    "id",
    report,
  );
  reportTwice(
    oauth.clients.map(({ node }) => node),
    "client_id",
    report,
  );
}

/** Reports an API that no key opens. For a single document nothing is reported: its gateway may have the keys. */
function checkReachable({ id, authentication }: ApiModel, set: SetModel, report: Report): void {
  const { isRequired, schemes: known, security } = authentication;
  if (set.settings === undefined || set.process.hasStore || !isRequired) return;
  const isByKey = ({ name }: RequiredScheme) => asksForKey(known.get(name));
  const [first] = security.general.flatMap(({ schemes }) => schemes);
  if (first !== undefined && security.general.every(({ schemes }) => schemes.some(isByKey)))
    report("GW4207", first.nameSpan, { api: id });
}

/** Whether a scheme accepts only keys, including tokens signed with a key and the certificates of keys. */
function asksForKey(scheme: SecurityScheme | undefined): boolean {
  switch (scheme?.kind) {
    case "auth-token":
    case "basic":
    case "signature":
      return true;
    case "jwt":
      return scheme.verification === "own";
    case "mutual-tls":
      return scheme.allowList === undefined;
    default:
      return false;
  }
}

function checkRights({ rightsEntry, rights, hasPolicies }: AccessRecord, report: Report): void {
  const isEmpty = rightsEntry?.value.kind === "map" && rights.length === 0;
  if (rightsEntry !== undefined && isEmpty && !hasPolicies) report("GW4208", rightsEntry.keySpan, {});
}

function reportTwice(records: readonly DocumentNode[], field: string, report: Report): void {
  const seen = new Set<string>();
  for (const record of records) {
    const node = findNode(record, field);
    const written = findText(node);
    // The value of a variable is known only when the gateway starts.
    if (node === undefined || written === undefined || written.includes("${")) continue;
    const value = field === "key_hash" ? written.toLowerCase() : written;
    if (seen.has(value)) report("GW4209", node.span, { field });
    seen.add(value);
  }
}
