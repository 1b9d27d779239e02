// Access rights against the APIs of a set: ids, versions and paths that are not served would be refusals later.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { SetModel } from "../../../model/set.ts";
import type { AccessRecord } from "../../../model/settings.ts";
import { onlyVersion } from "../../../model/versions.ts";
import { itemsOf } from "../../../model/written.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "../../../trees/document.ts";
import { checkAllowedUrls } from "../allowed-urls.ts";

/** Reports what policies and keys name that does not exist. */
export function checkAccess(set: SetModel, report: Report): void {
  const { policies, keys } = set.process;
  const routesByApi = Map.groupBy(set.routes, ({ api }) => api);
  for (const record of [...policies, ...keys]) {
    checkPolicies(record, set, report);
    for (const right of record.rights) {
      const api = findApi(right, set, report);
      if (api === undefined) continue;
      checkVersions(right.value, api, set, report);
      checkAllowedUrls(right.value, api, routesByApi.get(api) ?? [], report);
    }
  }
}

function findApi({ key, keySpan }: MapEntry, { apis }: SetModel, report: Report): ApiModel | undefined {
  const api = apis.find(({ id }) => id === key);
  const ids = apis.map(({ id }) => id);
  if (api === undefined) report("GW4066", keySpan, { api: key, closest: suggest(key, ids) });
  return api;
}

/** Rights name a version as its API does, or as the API does that lists it. */
function checkVersions(right: DocumentNode, api: ApiModel, { apis }: SetModel, report: Report): void {
  const own = api.versioning?.versions ?? [];
  const elsewhere = apis.flatMap((each) => each.versioning?.versions ?? []);
  const listed = [...own, ...elsewhere.filter(({ id }) => id === api.id)].map(({ name }) => name);
  const known = [...new Set([onlyVersion, ...listed])];
  for (const item of itemsOf(findNode(right, "versions"))) {
    const version = findText(item);
    if (version === undefined || known.includes(version)) continue;
    report("GW4067", item.span, { api: api.id, version, closest: suggest(version, known) });
  }
}

/** A store holds policies too, which are not known here. */
function checkPolicies({ policies }: AccessRecord, { process }: SetModel, report: Report): void {
  if (process.hasStore) return;
  const known = process.policies.flatMap(({ id }) => id ?? []);
  for (const { id: policy, span } of policies)
    if (!known.includes(policy)) report("GW4070", span, { policy, closest: suggest(policy, known) });
}
