// Access rights against the APIs of a set: ids, versions and paths nobody serves would be refusals later.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import { hasStore } from "../../../model/store.ts";
import { findVersioning, onlyVersion } from "../../../model/versions.ts";
import type { ApiDocument, ApiSet } from "../../../trees/api.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "../../../trees/document.ts";
import { type AccessRecord, accessRecords, itemsOf, policyIds } from "../access-rights.ts";
import { checkAllowedUrls } from "../allowed-urls.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports what policies and keys name that does not exist. */
export function checkAccess(facts: Pick<SetFacts, "set" | "routes">, report: Report): void {
  const { set, routes } = facts;
  const routesByApi = Map.groupBy(routes, ({ api }) => api);
  for (const record of accessRecords(set)) {
    checkPolicies(record, set, report);
    for (const right of record.rights) {
      const api = findApi(right, set, report);
      if (api === undefined) continue;
      checkVersions(right.value, api, set, report);
      checkAllowedUrls(right.value, api, routesByApi.get(api) ?? [], report);
    }
  }
}

function findApi({ key, keySpan }: MapEntry, { apis }: ApiSet, report: Report): ApiDocument | undefined {
  const api = apis.find(({ id }) => id === key);
  const ids = apis.map(({ id }) => id);
  if (api === undefined) report("GW4066", keySpan, { api: key, closest: suggest(key, ids) });
  return api;
}

/** Rights name a version as its API does, or as the API does that lists it. */
function checkVersions(right: DocumentNode, api: ApiDocument, { apis }: ApiSet, report: Report): void {
  const own = findVersioning(api)?.versions ?? [];
  const elsewhere = apis.flatMap((each) => findVersioning(each)?.versions ?? []);
  const listed = [...own, ...elsewhere.filter(({ id }) => id === api.id)].map(({ name }) => name);
  const known = [...new Set([onlyVersion, ...listed])];
  for (const item of itemsOf(findNode(right, "versions"))) {
    const version = findText(item);
    if (version === undefined || known.includes(version)) continue;
    report("GW4067", item.span, { api: api.id, version, closest: suggest(version, known) });
  }
}

/** A store holds policies too, which nobody can look into here. */
function checkPolicies({ node }: AccessRecord, set: ApiSet, report: Report): void {
  if (hasStore(set.settings)) return;
  const known = policyIds(set);
  for (const item of itemsOf(findNode(node, "apply_policies"))) {
    const policy = findText(item);
    if (policy === undefined || known.includes(policy)) continue;
    report("GW4070", item.span, { policy, closest: suggest(policy, known) });
  }
}
