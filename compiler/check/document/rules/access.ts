// Checks access rights against the APIs of a set: ids, versions and paths that are not served would cause refusals at
// run time. An entry of `allowed_urls` is reported only if it cannot match any request: paths with parameters, prefixes
// and upstreams match many.

import type { Report } from "../../../diagnostics/sink.ts";
import { nearest, suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { Route } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";
import type { AccessRecord, SettingsModel, WrittenRight } from "../../../model/settings.ts";
import { onlyVersion } from "../../../model/versions.ts";
import type { Span } from "../../../source/source.ts";
import { type DocumentNode, findText } from "../../../trees/document.ts";

/** A served path and its verbs. */
interface ServedPath {
  readonly path: string;
  readonly verbs: readonly string[];
}

/** Reports each entry that allows nothing that exists. */
function checkAllowedUrls(
  { urls: entries }: WrittenRight,
  api: ApiModel,
  routes: readonly Route[],
  report: Report,
): void {
  for (const item of entries.flatMap(({ methods }) => methods).filter(isMisspelt)) reportMethod(item, report);
  // The paths of an upstream are not known here.
  if (entries.length === 0 || api.upstream.url !== undefined) return;
  const served = servedPaths(api, routes);
  for (const entry of entries) {
    const { url } = entry;
    const written = findText(url);
    const pattern = written === undefined ? undefined : parsePattern(written);
    if (url === undefined || written === undefined || pattern === undefined) continue;
    if (entry.methods.some(isMisspelt)) continue;
    const methods = entry.methods.flatMap((item) => findText(item)?.toUpperCase() ?? []);
    const matched = served.filter(({ path }) => mayMatch(pattern, path));
    if (matched.length === 0) report("GW4068", url.span, { url: written, api: api.id, methods: [] });
    else if (methods.length > 0 && !matched.some(({ verbs }) => verbs.some((verb) => methods.includes(verb))))
      report("GW4068", url.span, { url: written, api: api.id, methods });
  }
}

const knownMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

/** An upstream may use any method, so only methods that resemble a known one are reported. */
function isMisspelt(item: DocumentNode): boolean {
  const method = findText(item)?.toUpperCase();
  return (
    method !== undefined && !knownMethods.includes(method) && suggest(method, knownMethods) !== undefined
  );
}

function reportMethod(item: DocumentNode, report: Report): void {
  const value = findText(item) ?? "";
  report("GW4013", item.span, {
    field: "methods",
    value,
    allowed: knownMethods,
    ...nearest(value, knownMethods),
  });
}

/** A WebSocket is opened with GET. */
function servedPaths(api: ApiModel, routes: readonly Route[]): readonly ServedPath[] {
  const declared = api.paths.map((each) => ({
    path: each.path,
    verbs: [...each.operations().keys()],
  }));
  const ofStreams = routes.map(({ ownPath, transport, verbs }) => ({
    path: ownPath,
    verbs: transport === "websocket" ? ["GET"] : verbs,
  }));
  return [...declared, ...ofStreams];
}

/** `undefined` if the text is not a regular expression, which is reported elsewhere. */
function parsePattern(text: string): RegExp | undefined {
  try {
    return new RegExp(text);
  } catch {
    return undefined; // the only thing it throws is SyntaxError
  }
}

function mayMatch(pattern: RegExp, path: string): boolean {
  if (pattern.test(path)) return true;
  const [fixed = ""] = path.split("{");
  const exact = /^\^((?:\\\/|[\w/~-])*)\$$/.exec(pattern.source)?.[1]?.replaceAll("\\/", "/");
  // A pattern without alternatives matches one path: parameters stand for whole segments of it.
  if (exact !== undefined && !path.endsWith("/")) return fitsTemplate(exact, path);
  const isOpen = path.includes("{") || path.endsWith("/");
  return isOpen && (fixed.startsWith(fixedStart(pattern)) || fixedStart(pattern).startsWith(fixed));
}

function fitsTemplate(path: string, template: string): boolean {
  const [segments, wanted] = [path.split("/"), template.split("/")];
  return (
    segments.length === wanted.length &&
    wanted.every((each, at) => each.includes("{") || each === segments[at])
  );
}

/**
 * Returns the text that every match begins with: `/orders/` for `^/orders/[0-9]+`; "" if a match may begin anywhere.
 */
function fixedStart({ source }: RegExp): string {
  const [, text = ""] = /^\^((?:\\\/|[\w/~-])*)/.exec(source) ?? [];
  const next = source[text.length + 1];
  const plain = text.replaceAll("\\/", "/");
  // The last character may be optional, or part of an alternative.
  if (source.includes("|")) return "";
  return next !== undefined && "?*{".includes(next) ? plain.slice(0, -1) : plain;
}

/** Reports names in policies and keys that do not exist. */
export function checkAccess(set: SetModel, report: Report): void {
  const { policies, keys } = set.process;
  checkPolicyIds(set.process, report);
  const routesByApi = Map.groupBy(set.routes, ({ api }) => api);
  for (const record of [...policies, ...keys]) {
    checkPolicies(record, set, report);
    for (const right of record.rights) {
      const api = findApi(right, set, report);
      if (api === undefined) continue;
      checkOwnId(right, api, set, report);
      checkVersions(right, api, set, report);
      checkAllowedUrls(right, api, routesByApi.get(api) ?? [], report);
    }
  }
}

function findApi(
  { key, keySpan }: WrittenRight,
  { apis, process }: SetModel,
  report: Report,
): ApiModel | undefined {
  const api = apis.find(({ id }) => id === key);
  // If `apis` is not a list of paths, the set of existing APIs is not known.
  const files = process.files?.value;
  if (files?.kind !== "list" || files.items.some((item) => findText(item) === undefined)) return api;
  const ids = apis.map(({ id }) => id);
  if (api === undefined) report("GW4066", keySpan, { api: key, closest: suggest(key, ids) });
  return api;
}

/** Reports an `api_id` in a right that is not the API whose right it is. */
function checkOwnId(
  { ownId: written }: WrittenRight,
  api: ApiModel,
  { apis }: SetModel,
  report: Report,
): void {
  const id = findText(written);
  if (written === undefined || id === undefined || id === "" || id === api.id) return;
  const isKnown = apis.some((each) => each.id === id);
  report("GW4066", written.span, { api: id, closest: isKnown ? undefined : api.id, key: api.id });
}

/** Reports unknown versions. A right may use the version names of its API, or of an API that lists it as a version. */
function checkVersions(right: WrittenRight, api: ApiModel, { apis }: SetModel, report: Report): void {
  const own = api.versioning?.versions ?? [];
  const elsewhere = apis.flatMap((each) => each.versioning?.versions ?? []);
  const listed = [...own, ...elsewhere.filter(({ id }) => id === api.id)].map(({ name }) => name);
  const known = [...new Set([onlyVersion, ...listed])];
  for (const item of right.versions) {
    const version = findText(item);
    if (version === undefined || known.includes(version)) continue;
    report("GW4067", item.span, { api: api.id, version, closest: suggest(version, known) });
  }
}

function checkPolicies({ policies }: AccessRecord, { process }: SetModel, report: Report): void {
  for (const { id, span } of policies) checkPolicyName(id, span, process, report);
}

/**
 * Reports a policy that is not declared. A store can contain further policies that are not known here: with a store,
 * only a name that resembles a declared one is reported.
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

/** Reports policies that cannot be referenced because they have no id. */
function checkPolicyIds({ policies }: SettingsModel, report: Report): void {
  for (const [index, { node, id }] of policies.entries()) {
    if (node.kind !== "map" || id !== undefined) continue;
    const names = node.entries.map(({ key }) => key);
    // An `id` that is no text, or under a misspelt key, is already reported.
    if (names.some((key) => key === "id" || nearest(key, ["id"]).closest !== undefined)) continue;
    const span = node.entries[0]?.keySpan ?? node.span;
    report("GW4011", span, { owner: `policies[${index}]`, fields: ["id"] });
  }
}
