// Checks the requirements in `security` that the gateway is to enforce: a requirement that cannot be enforced would
// refuse all callers or admit all of them. Clients of the token endpoint are checked against the policies and APIs of
// the set.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest, suggestStart } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { type DeclaredPath, type RequiredScheme, requirementsOf } from "../../../model/operations.ts";
import { collectRoutes, findDeclared } from "../../../model/routes.ts";
import type { ApiAuthentication, OperationRequirements } from "../../../model/security.ts";
import type { SchemeKind, SecurityScheme } from "../../../model/security-schemes.ts";
import type { SetModel } from "../../../model/set.ts";
import type { SettingsModel } from "../../../model/settings.ts";
import { entriesOf, itemsOf } from "../../../model/written.ts";
import { isLong } from "../../../source/source.ts";
import { type DocumentNode, findText, type MapEntry } from "../../../trees/document.ts";
import { checkPolicyName } from "./access.ts";

/**
 * Reports required schemes that cannot be enforced, authentication without any required scheme, and a disabled switch
 * that leaves requirements unenforced.
 */
export function checkAuthentication({ authentication }: ApiModel, report: Report): void {
  const { block, isRequired, security, schemes } = authentication;
  const { required } = security;
  const state = block?.enabled === undefined ? undefined : block.stateSpan;
  if (!isRequired) {
    const names = [...new Set(required.map(({ name }) => name))];
    if (names.length > 0 && state !== undefined) report("GW4270", state, { schemes: names });
    if (names.length === 0 && block?.node.kind === "map" && block.node.entries.every(isEmptyMap))
      report("GW4352", block.stateSpan, { block: "authentication" });
    return;
  }
  if (required.length === 0 && state !== undefined) report("GW4201", state, {});
  for (const each of required) {
    const scheme = schemes.get(each.name);
    // A scheme without a description is already reported.
    if (scheme !== undefined) checkScheme(each, scheme, report);
  }
  for (const { span } of security.ignored) report("GW4204", span, {});
  for (const operation of security.operations) checkPath(operation, report);
}

function isEmptyMap({ value }: MapEntry): boolean {
  return value.kind === "map" && value.entries.length === 0;
}

/** Reports a list of CORS headers that contains none of the headers that carry credentials. */
export function checkCredentialsOfPages({ authentication, blocks }: ApiModel, report: Report): void {
  const { isRequired, security, schemes } = authentication;
  const written = blocks.corsHeaders;
  if (!isRequired || written === undefined || blocks.cors?.enabled !== true) return;
  const texts = itemsOf(written.node).map((item) => findText(item)?.toLowerCase());
  // A value that is known only at start may be any header.
  if (texts.some((text) => text === undefined || text === "*" || text.includes("$"))) return;
  const required = security.required.flatMap(({ name }) => schemes.get(name) ?? []);
  const sources = required.flatMap((scheme) =>
    scheme.sources.map((source) => ({ ...source, scheme: scheme.name })),
  );
  const [first] = sources;
  const isSendable = ({ place, name }: { place: string; name: string }) =>
    place !== "header" || texts.includes(name.toLowerCase());
  // For a scheme of unknown kind, the place of its credential is not known either.
  const isKnown = required.every(
    ({ kind, sources: own }) => kind !== undefined && own.length > 0 && own.every(({ name }) => name !== ""),
  );
  if (first === undefined || !isKnown || sources.some(isSendable)) return;
  report("GW4281", written.keySpan, { header: first.name, scheme: first.scheme });
}

function checkScheme(
  { name, nameSpan, scopes }: RequiredScheme,
  { kind, isOff, sources, http }: SecurityScheme,
  report: Report,
): void {
  // Client certificates come with the connection; signatures of the whole API use a header of their own.
  const isOfWholeApi = kind === "signature" && http === undefined;
  const isFromNowhere = kind !== "mutual-tls" && !isOfWholeApi && sources.length === 0;
  const written = findText(http?.written);
  const closest = suggestStart(written ?? "", httpSchemes);
  if (kind === undefined)
    report("GW4200", (closest === undefined ? undefined : http?.written?.span) ?? nameSpan, {
      scheme: name,
      written,
      closest,
    });
  else if (isOff) report("GW4202", nameSpan, { scheme: name });
  else if (scopes.length > 0 && hasNoScopes.has(kind)) report("GW4203", nameSpan, { scheme: name });
  else if (isFromNowhere) report("GW4205", nameSpan, { scheme: name });
}

/** HTTP authentication schemes that the gateway enforces. */
const httpSchemes = ["basic", "bearer", "signature"];

/** Kinds of schemes whose credentials carry no scopes. */
const hasNoScopes: ReadonlySet<SchemeKind> = new Set(["auth-token", "basic", "mutual-tls"]);

/** Reports patterns like `/files/{name}.json`: they would match requests for other paths, or miss some of their own. */
function checkPath({ path, verbSpan }: OperationRequirements, report: Report): void {
  const isWhole = path.split("/").every((segment) => /^(?:[^{}]*|\{[^{}]+\})$/.test(segment));
  if (!isWhole) report("GW4206", verbSpan, { path });
}

/** Reports each name in `security` and in the gateway part that is not in `components`. */
export function checkSecuritySchemes(api: ApiModel, report: Report): void {
  if (api.openapi === undefined) return;
  const { described, configured } = api.authentication;
  const known = described.map(({ key }) => key);
  // The schemes are under a misspelt key, which is already reported.
  if (known.length === 0 && entriesOf(api.components).some(isMeantForSchemes)) return;
  if (api.components === undefined && entriesOf(api.root).some(isMeantForComponents)) return;
  const places = [
    requiredSchemes(api).filter(({ name }) => !isAddress(api, name)),
    configured.map(({ key, keySpan }) => ({ name: key, nameSpan: keySpan })),
  ];
  for (const named of places) {
    const unnamed = known.filter((each) => !named.some(({ name }) => name === each));
    for (const { name, nameSpan } of named) {
      if (known.includes(name)) continue;
      // A name that resembles no scheme most likely means the only scheme that is not referenced.
      const closest = suggest(name, known) ?? (unnamed.length === 1 ? unnamed[0] : undefined);
      report("GW4071", nameSpan, { scheme: name, closest });
    }
  }
}

function isMeantForComponents({ key }: MapEntry): boolean {
  return suggest(key, ["components"]) !== undefined;
}

function isMeantForSchemes({ key }: MapEntry): boolean {
  return suggest(key, ["securitySchemes"]) !== undefined;
}

/** Reports scopes that the flows of an `oauth2` scheme do not define, so no token can have them. */
export function checkScopes(api: ApiModel, report: Report): void {
  if (api.openapi === undefined) return;
  for (const { name, scopes, written } of requiredSchemes(api)) {
    if (scopes.length === 0 || written === undefined) continue;
    const known = declaredScopes(api.authentication.schemes.get(name));
    if (known.length === 0) continue;
    const declared = new Set(known);
    for (const item of itemsOf(written)) {
      const scope = findText(item);
      if (scope !== undefined && !declared.has(scope))
        report("GW4228", item.span, { scope, closest: suggest(scope, known), known });
    }
  }
}

function declaredScopes(scheme: SecurityScheme | undefined): readonly string[] {
  return (scheme?.flows ?? []).flatMap((flow) => entriesOf(flow.scopes).map(({ key }) => key));
}

/** Returns every entry in the `security` of the document and of its operations. */
function requiredSchemes(api: ApiModel): readonly RequiredScheme[] {
  const operations = operationsToRead(api).flatMap((path) => [...path.operations().values()]);
  const lists = [requirementsOf(api.root), ...operations.map((operation) => operation.security())];
  return lists.flatMap((list) => list ?? []).flatMap(({ schemes }) => schemes);
}

/** In long documents, operations that no stream serves are not read, unless the gateway enforces authentication. */
function operationsToRead(api: ApiModel): readonly DeclaredPath[] {
  if (!isLong(api.file) || api.authentication.isRequired) return api.paths;
  return [...new Set(collectRoutes(api).flatMap((route) => findDeclared(route) ?? []))];
}

/** OpenAPI 3.2 also accepts the address of a scheme instead of its name. */
function isAddress({ openapi }: ApiModel, name: string): boolean {
  return openapi === "3.2" && /[/#:]/.test(name);
}

/**
 * Reports missing policies of clients and of tokens, tokens that are never issued, and APIs whose listen path collides
 * with the token endpoint. A store can contain further policies and clients that are not known here.
 */
export function checkOauth({ settings, process, served }: SetModel, report: Report): void {
  if (settings === undefined) return;
  const { oauth, hasStore } = process;
  if (oauth.isOffered) for (const api of served) checkListenPath(api, report);
  const asking = served.filter((api) => api.authentication.isRequired);
  if (!oauth.isOffered)
    for (const { authentication } of asking) checkGivenOut(authentication, hasStore, report);
  for (const { policy } of oauth.clients) checkPolicy(policy, process, report);
  checkScopesOfClients(process, served, report);
  for (const { authentication } of asking)
    for (const policy of authentication.policies) checkPolicy(policy, process, report);
}

/** Reports scopes of clients that are nearly those of an API, if all APIs of their policies are served here. */
function checkScopesOfClients(
  { oauth, policies }: SettingsModel,
  served: readonly ApiModel[],
  report: Report,
): void {
  const ids = new Set(served.map(({ id }) => id));
  const listed = oauth.clients.flatMap(({ scopes, policy }) => {
    const own = policies.find(({ id }) => id !== undefined && id === findText(policy));
    const isWhole = own?.rights.every(({ key }) => ids.has(key)) === true;
    return isWhole ? scopes : [];
  });
  if (listed.length === 0) return;
  const known = [
    ...new Set(
      served.flatMap((api) => [
        ...[...api.authentication.schemes.values()].flatMap(declaredScopes),
        ...requiredSchemes(api).flatMap(({ scopes }) => scopes),
      ]),
    ),
  ];
  for (const item of listed) {
    const scope = findText(item);
    if (scope === undefined || known.includes(scope)) continue;
    const closest = suggest(scope, known);
    if (closest !== undefined) report("GW4228", item.span, { scope, closest, known });
  }
}

function checkListenPath({ id, idSpan, listenPath, writtenListenPath }: ApiModel, report: Report): void {
  if (listenPath.startsWith("/oauth/")) report("GW4217", writtenListenPath?.node.span ?? idSpan, { api: id });
}

function checkPolicy(node: DocumentNode | undefined, settings: SettingsModel, report: Report): void {
  const policy = findText(node);
  if (node === undefined || policy === undefined || policy.includes("${")) return;
  checkPolicyName(policy, node.span, settings, report);
}

function checkGivenOut({ schemes, security }: ApiAuthentication, hasStore: boolean, report: Report): void {
  const first = security.required.find(({ name }) => {
    const scheme = schemes.get(name);
    return scheme?.kind === "oauth2" && scheme.verification === "own";
  });
  if (first !== undefined) report("GW4216", first.nameSpan, { scheme: first.name, hasStore });
}
