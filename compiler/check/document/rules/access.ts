// Access rights against the APIs of a set: ids, versions and paths that are not served would be refusals later.

import type { Report } from "../../../diagnostics/sink.ts";
import { nearest, suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { SetModel } from "../../../model/set.ts";
import type { AccessRecord, SettingsModel } from "../../../model/settings.ts";
import { onlyVersion } from "../../../model/versions.ts";
import { itemsOf } from "../../../model/written.ts";
import type { Span } from "../../../source/source.ts";
import { type DocumentNode, findNode, findText, type MapEntry } from "../../../trees/document.ts";
import { checkAllowedUrls } from "../allowed-urls.ts";

/** Reports what policies and keys name that does not exist. */
export function checkAccess(set: SetModel, report: Report): void {
  const { policies, keys } = set.process;
  checkPolicyIds(set.process, report);
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

function findApi(
  { key, keySpan }: MapEntry,
  { apis, settings }: SetModel,
  report: Report,
): ApiModel | undefined {
  const api = apis.find(({ id }) => id === key);
  // Where `apis` is not a list of paths, it is not known which APIs there are.
  const files = findNode(settings, "apis");
  if (files?.kind !== "list" || files.items.some((item) => findText(item) === undefined)) return api;
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

function checkPolicies({ policies }: AccessRecord, { process }: SetModel, report: Report): void {
  for (const { id, span } of policies) checkPolicyName(id, span, process, report);
}

/**
 * Reports a policy that is not declared. A store holds policies too, which are not known here: with one, only a name that is
 * nearly a declared one is.
 */
export function checkPolicyName(
  policy: string,
  span: Span,
  { policies, hasStore }: Pick<SettingsModel, "policies" | "hasStore">,
  report: Report,
): void {
  const known = policies.flatMap(({ id }) => id ?? []);
  if (known.includes(policy)) return;
  const { closest, respelling } = nearest(policy, known);
  if (!hasStore) report("GW4070", span, { policy, closest });
  else if (closest !== undefined && respelling === "sure") report("GW4075", span, { policy, closest });
}

/** Reports policies that nothing can name. */
function checkPolicyIds({ policies }: SettingsModel, report: Report): void {
  for (const [index, { node, id }] of policies.entries()) {
    if (node.kind !== "map" || findNode(node, "id") !== undefined || id !== undefined) continue;
    const names = node.entries.map(({ key }) => key);
    // Under a misspelt name it is there, which was reported.
    if (names.some((key) => nearest(key, ["id"]).closest !== undefined)) continue;
    const span = node.entries[0]?.keySpan ?? node.span;
    report("GW4011", span, { owner: `policies[${index}]`, fields: ["id"] });
  }
}
