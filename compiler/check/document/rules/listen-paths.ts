// Rules about the paths that gateways listen at, and about two endpoints that serve one route, within a stream and
// across all streams of a set.

import type { Report } from "../../../diagnostics/sink.ts";
import { isSlip, suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { findShared, type Route } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";
import { entriesOf } from "../../../model/written.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findText } from "../../../trees/document.ts";
import { literalText } from "../../../trees/fields.ts";

/** Patterns that a path must not match, with the reason. */
const obstacles: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\?/, "a path cannot contain a query"],
  [/#/, "a path cannot contain a fragment"],
  [/%[0-9a-f]{2}/i, "paths are compared after decoding"],
  [/(?:^|\/)\.\.?(?:\/|$)/, "requests with dot segments are rejected"],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the gateway refuses
  [/[\\\u0000-\u001f\u007f]/, "requests with such characters are rejected"],
  [/[^/]\{|\}[^/]|\{[^}]*$|\{[^}]*\/|(?:^|\/)[^{/]*\}|\{\}/, "a parameter must be a complete segment"],
];

/** Returns why no request can have this path; `undefined` if one can. */
export function obstacleIn(path: string): string | undefined {
  return obstacles.find(([pattern]) => pattern.test(path))?.[1];
}

/** Returns `:id`, the notation of other gateways for `{id}`: such a path segment is rarely meant literally. */
export function colonSegment(path: string): string | undefined {
  return /(?<=\/):[A-Za-z_]\w*(?=\/|$)/.exec(path)?.[0];
}

/** Reports undescribed variables in the addresses of `servers`, and defaults that are not among a variable's values. */
export function checkServers({ servers }: ApiModel, report: Report): void {
  for (const { variables, url, urlSpan } of servers) {
    const names = variables.map(({ name }) => name);
    const scheme = schemeOf(url ?? "");
    const meant = meantScheme(scheme);
    if (urlSpan !== undefined && meant !== undefined)
      report("GW4289", urlSpan, { scheme, address: url, closest: meant });
    if (urlSpan !== undefined && isBareHost(url ?? ""))
      report("GW4289", urlSpan, { scheme: undefined, address: url, closest: `https://${url}` });
    const open = /^https?(?::\/?|\/\/)(?!\/)/i.exec(url ?? "")?.[0];
    if (urlSpan !== undefined && open !== undefined)
      report("GW4289", urlSpan, { scheme: open, address: url, closest: `${open.replace(/[:/]+$/, "")}://` });
    const written = [...(url ?? "").matchAll(/(?<!\$\{?)\{([^{}]+)\}/g)].map(([, name = ""]) => name);
    for (const name of written)
      if (urlSpan !== undefined && !names.includes(name))
        report("GW4229", urlSpan, { name, closest: suggest(name, names), known: names });
    for (const { name, default: standard, known } of variables) {
      const text = findText(standard);
      if (standard === undefined || text === undefined || known.length === 0 || known.includes(text))
        continue;
      report("GW4229", standard.span, { name, value: text, closest: suggest(text, known), known });
    }
  }
}

/** Whether an address begins with the name of a host, and would be relative to the address of the document. */
function isBareHost(address: string): boolean {
  const [, host = "", port] = /^([^/:?#{}$\s]+)(:\d+)?(?:\/|$)/.exec(address) ?? [];
  const labels = host.split(".");
  const isNamed = labels.length > 2 && /^[a-z]{2,}$/i.test(labels.at(-1) ?? "");
  return labels.every((label) => /^[a-z\d-]+$/i.test(label)) && (isNamed || port !== undefined);
}

/** Reports the addresses of OAuth flows and documentation whose scheme resembles `http` or `https`. */
export function checkAddresses({ authentication, description }: ApiModel, report: Report): void {
  const { termsOfService, contact, license, externalDocs } = description;
  const nodes = [
    termsOfService,
    contact.url,
    license.url,
    externalDocs.url,
    ...[...authentication.schemes.values()].flatMap(({ openIdConnectUrl, flows }) => [
      openIdConnectUrl,
      ...flows.flatMap(({ authorizationUrl, tokenUrl, refreshUrl }) => [
        authorizationUrl,
        tokenUrl,
        refreshUrl,
      ]),
    ]),
  ];
  for (const node of nodes) {
    const address = findText(node) ?? "";
    const scheme = schemeOf(address);
    const closest = meantScheme(scheme);
    if (node !== undefined && closest !== undefined)
      report("GW4289", node.span, { scheme, address, closest });
  }
}

function schemeOf(address: string): string {
  return /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1] ?? "";
}

/** Returns the scheme that a misspelt one resembles. */
function meantScheme(scheme: string): string | undefined {
  if (schemes.includes(scheme.toLowerCase())) return undefined;
  return schemes.find((each) => isSlip(scheme, each) || (each === "http" && scheme === "htp"));
}

/**
 * Reports declared paths that no request can have: those with a query, or with braces that do not enclose names of
 * parameters. Also reports paths that differ from an earlier one only in the names of parameters.
 */
export function checkPathTemplates({ pathsNode }: ApiModel, report: Report): void {
  const templates = new Map<string, Span>();
  for (const { key, keySpan } of entriesOf(pathsNode)) {
    if (!key.startsWith("/")) continue;
    if (!isTemplate(key)) report("GW4290", keySpan, { path: key });
    else if (/[?#]/.test(key) && /^[^{]*[?#]|\}[^{]*[?#]/.test(key)) report("GW4296", keySpan, { path: key });
    else if (/\{\w+\}/.test(key)) checkRepeatedTemplate(key, keySpan, templates, report);
  }
}

function checkRepeatedTemplate(path: string, span: Span, templates: Map<string, Span>, report: Report): void {
  // A pattern such as `{id:[0-9]+}` may tell paths apart.
  const unnamed = path.replaceAll(/\{\w+\}/g, "{}");
  const other = templates.get(unnamed);
  if (other === undefined) templates.set(unnamed, span);
  else
    report(
      "GW4293",
      span,
      { what: `\`paths\` describes \`${unnamed}\``, effect: "no request tells the two apart" },
      { span: other, message: "The other one is here." },
    );
}

/** Whether the braces of a path are closed in their segment and not empty. Patterns of parameters may contain more. */
function isTemplate(path: string): boolean {
  let depth = 0;
  let start = 0;
  let isPattern = false;
  for (let at = 0; at < path.length; at++) {
    const sign = path[at];
    if (sign === "{" && depth++ === 0) {
      start = at;
      isPattern = false;
    } else if (sign === "}" && (--depth < 0 || (depth === 0 && at === start + 1))) return false;
    else if (sign === ":") isPattern = true;
    else if (sign === "/" && depth > 0 && !isPattern) return false;
  }
  return depth === 0;
}

/** Schemes of servers that others may resemble. */
const schemes: readonly string[] = ["https", "http"];

/** Reports each API whose listen path an earlier API with the same host name has. */
export function checkListenPaths({ mounted }: Pick<SetModel, "mounted">, report: Report): void {
  const earlier = new Map<string, ApiModel>();
  for (const api of mounted) {
    const path = api.listenPath;
    const place = `${api.host ?? ""} ${api.mount.shape}`;
    const other = earlier.get(place);
    if (other === undefined) earlier.set(place, api);
    else {
      const span = other.mount.span ?? other.idSpan;
      const related = { span, message: `\`${other.id}\` listens here.` };
      report("GW4038", api.mount.span ?? api.idSpan, { path, api: api.id, other: other.id }, related);
    }
  }
}

/** Reports each endpoint whose path cannot be matched. */
export function checkPaths({ config, descriptor }: ComponentNode, report: Report): void {
  if (config.kind !== "Object") return;
  const properties = descriptor?.schema.properties ?? {};
  for (const { name: field, value } of config.fields) {
    const path = literalText(value);
    if (path === undefined || properties[field]?.["x-route"] === undefined) continue;
    const reason = obstacleIn(path);
    const segment = colonSegment(path);
    if (reason !== undefined) report("GW4045", value.span, { path, reason });
    else if (segment !== undefined) report("GW4274", value.span, { segment });
  }
}

/** The listen paths of a set as a tree of segments. */
interface ListenPaths {
  readonly exact: Map<string, ListenPaths>;
  parameter: ListenPaths | undefined;
  /** The APIs and places whose path ends at this node. */
  readonly found: Found[];
}

/** An API and the path that its routes begin with. */
interface Found {
  readonly api: ApiModel;
  readonly path: string;
}

/** Reports each route that no request reaches, because another API receives its requests. */
export function checkHiddenRoutes(
  { mounted, places, routes }: Pick<SetModel, "mounted" | "places" | "routes">,
  report: Report,
): void {
  const trees = plant(mounted, places);
  for (const { api, path, place, span } of routes) {
    const tree = trees.get(place.host);
    const owners = tree === undefined ? [] : findOwners(tree, segmentsOf(path), 0);
    const [owner] = owners;
    if (owner === undefined || owners.some((each) => each.api === api)) continue;
    report("GW4050", span, { path, api: owner.api.id, listenPath: owner.path });
  }
}

/** Returns a tree for each host. Paths of APIs without a host are in the tree of `undefined`. */
function plant(
  mounted: readonly ApiModel[],
  places: SetModel["places"],
): ReadonlyMap<string | undefined, ListenPaths> {
  // The paths that an API with versions answers itself also start at its listen path.
  const own = mounted.map((api) => ({ api, path: api.listenPath, host: api.host }));
  const trees = new Map<string | undefined, ListenPaths>();
  for (const { api, path, host } of [...own, ...places]) {
    const tree = trees.get(host) ?? createListenPaths();
    trees.set(host, tree);
    placeFor(segmentsOf(path).slice(0, -1), tree).found.push({ api, path });
  }
  return trees;
}

/** Searches in the order of the gateway: an exact segment before a parameter, the longest path before shorter ones. */
function findOwners(at: ListenPaths, segments: readonly string[], position: number): readonly Found[] {
  const segment = segments[position];
  if (segment === undefined) return at.found;
  // A parameter in the route's own path does not match an exact segment of a listen path.
  for (const next of [at.exact.get(segment), segment === "" ? undefined : at.parameter]) {
    const found = next === undefined ? [] : findOwners(next, segments, position + 1);
    if (found.length > 0) return found;
  }
  return at.found;
}

function placeFor(segments: readonly string[], tree: ListenPaths): ListenPaths {
  let at = tree;
  for (const segment of segments) {
    const isParameter = segment.startsWith("{");
    const next = (isParameter ? at.parameter : at.exact.get(segment)) ?? createListenPaths();
    if (isParameter) at.parameter = next;
    else at.exact.set(segment, next);
    at = next;
  }
  return at;
}

function segmentsOf(path: string): readonly string[] {
  return path.slice(1).split("/");
}

function createListenPaths(): ListenPaths {
  return { exact: new Map(), parameter: undefined, found: [] };
}

/** Earlier routes with the same number of segments, so that comparing all routes of a set stays cheap. */
interface Earlier {
  readonly all: Route[];
  /** Routes with path parameters: only these can match a path with a different text. */
  readonly open: Route[];
  readonly byPath: Map<string, Route[]>;
}

/** Reports each endpoint that overlaps an earlier one if neither of the two is more specific. */
export function checkRouteCollisions({ routes }: Pick<SetModel, "routes">, report: Report): void {
  const buckets = new Map<string, Earlier>();
  const reported = new Set<Span>();
  for (const route of routes) {
    const bucket = `${route.transport} ${route.path.split("/").length}`;
    const earlier = buckets.get(bucket) ?? { all: [], open: [], byPath: new Map() };
    buckets.set(bucket, earlier);
    const other = candidates(earlier, route).find((each) => meets(each, route));
    if (other !== undefined && !reported.has(route.span)) {
      reportPair(other, route, report);
      reported.add(route.span);
    }
    remember(earlier, route);
  }
}

function candidates(earlier: Earlier, route: Route): readonly Route[] {
  if (isOpen(route)) return earlier.all;
  return [...(earlier.byPath.get(route.path) ?? []), ...earlier.open];
}

function remember(earlier: Earlier, route: Route): void {
  earlier.all.push(route);
  if (isOpen(route)) earlier.open.push(route);
  const same = earlier.byPath.get(route.path);
  if (same === undefined) earlier.byPath.set(route.path, [route]);
  else same.push(route);
}

function isOpen({ path }: Route): boolean {
  return path.includes("{");
}

function meets(first: Route, second: Route): boolean {
  if (findShared(first, second) === undefined) return false;
  // Of different listen paths, the longer one receives the shared requests: the other route is hidden.
  const [one, other] = [first.place, second.place];
  if (one.path !== other.path || one.host !== other.host || one.version !== other.version) return false;
  // Two versions with one name are reported elsewhere.
  if (one.version !== undefined && first.api !== second.api) return false;
  // Two APIs with the same listen path are reported elsewhere.
  return (
    !isOneSocket(first, second) &&
    (first.api === second.api || first.api.mount.shape !== second.api.mount.shape)
  );
}

/**
 * Whether both routes share one WebSocket: the input and the output of a stream may do so, and one output may name it
 * twice.
 */
function isOneSocket(first: Route, second: Route): boolean {
  if (first.transport !== "websocket" || first.stream !== second.stream) return false;
  return first.component.role !== second.component.role || first.component === second.component;
}

function reportPair(other: Route, route: Route, report: Report): void {
  const shared = findShared(other, route) ?? "";
  const related = { span: other.span, message: "The other one is here." };
  if (other.stream === route.stream) {
    const details = { route: shared, first: nameOf(other), second: nameOf(route) };
    report("GW4031", route.span, details, related);
    return;
  }
  const isOneApi = other.api === route.api;
  const stream = isOneApi ? route.stream.name : streamOf(route);
  report(
    "GW4030",
    route.span,
    { route: shared, stream, other: isOneApi ? other.stream.name : streamOf(other) },
    related,
  );
}

/** Returns the name of a stream with its API, since streams of different APIs may have the same name. */
function streamOf({ api, stream }: Route): string {
  return `${api.id}.${stream.name}`;
}

function nameOf({ component, field }: Route): string {
  return `${component.role}.${field}`;
}
