// Finds the API and the stream routes for the path of a request. Patterns of paths consist of exact segments, `{name}`
// segments, and prefixes that end with `/`.

import type { Endpoint, EndpointRole } from "../component/endpoint.ts";
import { GatewayError } from "../errors.ts";
import { EnvironmentError } from "../process/environment.ts";
import { dropSegments, type RequestPath } from "./request-path.ts";
import type { FoundVersion, NamedVersion, RoutedRequest, Versions } from "./versioning.ts";

/** The result of matching a path. */
interface PathMatch<T> {
  readonly value: T;
  /** The values of the pattern's parameters, in order. */
  readonly values: readonly string[];
}

interface Node<T> {
  /** Absent in a node without children, as most are. */
  exact: Map<string, Node<T>> | undefined;
  parameter: Node<T> | undefined;
  /** The value of the path that ends here. */
  leaf: { readonly value: T } | undefined;
  /** The value of everything below. */
  prefix: { readonly value: T } | undefined;
}

const parameterPattern = /^\{([^{}]+)\}$/;

/** Returns the names of a pattern's parameters, in order: `/a/{id}/{part}` has `["id", "part"]`. */
function parameterNames(pattern: string): readonly string[] {
  return pattern.split("/").flatMap((segment) => parameterPattern.exec(segment)?.[1] ?? []);
}

/**
 * A trie of segments. An exact segment takes precedence over a parameter, and a parameter over a prefix; a longer
 * prefix takes precedence over a shorter one. A parameter never matches an empty segment.
 */
export class PathTable<T> {
  readonly #root: Node<T> = createNode();

  /**
   * Returns the value at exactly this pattern; creates it with `create` if there is none. `isWhole`: a slash at the
   * end is literal, and the pattern matches nothing below it.
   */
  at(pattern: string, create: () => T, isWhole = false): T {
    const segments = pattern.replace(/^\//, "").split("/");
    const isPrefix = !isWhole && segments.at(-1) === "";
    let node = this.#root;
    for (const segment of isPrefix ? segments.slice(0, -1) : segments) {
      node = parameterPattern.test(segment) ? parameterChild(node) : exactChild(node, segment);
    }
    const place = isPrefix ? "prefix" : "leaf";
    const leaf = node[place] ?? { value: create() };
    node[place] = leaf;
    return leaf.value;
  }

  /** Returns the match of decoded segments. */
  find(segments: readonly string[]): PathMatch<T> | undefined {
    const values: string[] = [];
    const leaf = findLeaf(this.#root, segments, 0, values);
    return leaf && { value: leaf.value, values };
  }
}

function findLeaf<T>(
  node: Node<T>,
  segments: readonly string[],
  position: number,
  values: string[],
): { readonly value: T } | undefined {
  const segment = segments[position];
  if (segment === undefined) return node.leaf;
  const exact = node.exact?.get(segment);
  const found = exact && findLeaf(exact, segments, position + 1, values);
  if (found !== undefined) return found;
  if (node.parameter !== undefined && segment !== "") {
    const depth = values.push(segment);
    const byParameter = findLeaf(node.parameter, segments, position + 1, values);
    if (byParameter !== undefined) return byParameter;
    values.length = depth - 1;
  }
  return node.prefix;
}

function createNode<T>(): Node<T> {
  return { exact: undefined, parameter: undefined, leaf: undefined, prefix: undefined };
}

function exactChild<T>(node: Node<T>, segment: string): Node<T> {
  node.exact ??= new Map();
  const child = node.exact.get(segment) ?? createNode<T>();
  node.exact.set(segment, child);
  return child;
}

function parameterChild<T>(node: Node<T>): Node<T> {
  node.parameter ??= createNode();
  return node.parameter;
}

/** What serves routes: a running stream. */
export interface RouteServer {
  /** Returns the endpoint that serves a route now; `undefined` if none does. */
  endpoint(route: StreamRoute): Endpoint | undefined;
}

/** A route and the part of a stream that serves it. */
export interface StreamRoute {
  readonly stream: string;
  readonly role: EndpointRole;
  /** The position among the endpoints of that part. */
  readonly index: number;
  readonly endpoint: Endpoint;
  /**
   * What served it last, if all requests share it. With thousands of streams, each table on the way by names is one more miss
   * of the caches.
   */
  server?: RouteServer | undefined;
}

/** An API with the routes of its streams, below its listen path. */
export interface RoutedApi<A> {
  readonly id: string;
  /** The owner, if gateways serve several organisations. */
  readonly organisation?: string | undefined;
  readonly api: A;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  /** The host name that requests must have, in lower case and without a port; absent if the API serves every host name. */
  readonly host?: string | undefined;
  /** Whether the API is not mounted at its listen path: requests reach it only as a version of another API. */
  readonly isInternal?: boolean;
  readonly versions?: Versions | undefined;
  readonly routes: readonly StreamRoute[];
}

/** Every route of one path. */
export interface PathRoutes {
  readonly byVerb: ReadonlyMap<string, StreamRoute>;
  /** The route of the input or of the output, or both if one stream serves a path with one socket. */
  readonly sockets: readonly StreamRoute[];
  /** The parameter names of paths that have any, in order: two verbs of one path may name them differently. */
  readonly parameterNames?: ReadonlyMap<StreamRoute, readonly string[]>;
}

/** The API that a path leads to. */
export interface FoundApi<A> {
  readonly api: A;
  /** The prefix of its paths: the listen path, followed by the name of a version if paths contain one. */
  readonly listenPath: string;
  /** The path below that prefix. */
  readonly rest: RequestPath;
  /** The listen path alone, and its number of segments. */
  readonly mount: { readonly path: string; readonly depth: number };
  /** Present if the request came to an API with versions and `api` is one of them. */
  readonly version?: FoundVersion;
  /** The routes of the path. */
  readonly routes: PathRoutes | undefined;
  /** The values of the parameters of these routes, in order. */
  readonly values: readonly string[];
  /**
   * The verb that was requested last, and its route: most paths are requested with one verb. They stand here for the same
   * reason as `StreamRoute.server`.
   */
  verb: string;
  route: StreamRoute | undefined;
}

export interface Router<A> {
  /**
   * Returns the API with the longest listen path that contains the request; `/orders/` contains `/orders`. APIs of the
   * requested host name take precedence. If the host name belongs to an organisation, only APIs of that organisation
   * are found. Returns an error if the request names a version that does not exist.
   */
  findApi(request: RoutedRequest): FoundApi<A> | GatewayError | undefined;
}

interface MutableRoutes {
  readonly byVerb: Map<string, StreamRoute>;
  readonly sockets: StreamRoute[];
  parameterNames?: Map<StreamRoute, readonly string[]>;
}

interface ApiEntry<A> {
  readonly routed: RoutedApi<A>;
  readonly depth: number;
  readonly paths: PathTable<MutableRoutes>;
}

/** Returns the organisation that owns a normalised host name without a port; `undefined` if there is none. */
export type HostOwner = (host: string) => string | undefined;

/** The APIs of one host name, by organisation. */
type HostTables<A> = Map<string | undefined, PathTable<ApiEntry<A>>>;

/**
 * Compiles the table. Throws if two APIs share a listen path or two streams claim one route; an `EnvironmentError` if
 * the conflict depends on host names.
 */
export function createRouter<A>(apis: readonly RoutedApi<A>[], ownerOf?: HostOwner): Router<A> {
  const atAnyHost = new PathTable<ApiEntry<A>>();
  const byHost = new Map<string, HostTables<A>>();
  const byId = new Map<string, ApiEntry<A>>();
  for (const routed of apis) {
    const entry = createEntry(routed);
    byId.set(routed.id, entry);
    if (routed.isInternal !== true) mount(entry, tableFor(routed, byHost) ?? atAnyHost);
  }
  const runs = (id: string) => byId.has(id);
  const hasHosts = byHost.size > 0 || ownerOf !== undefined;
  /** Caches by path: clients request few paths, and each is one object as long as it is cached. */
  const known = new WeakMap<RequestPath, FoundApi<A>>();
  return {
    findApi(request) {
      const same = known.get(request.path);
      if (same !== undefined) return same;
      const { segments } = request.path;
      const host = hasHosts ? hostOf(request.url) : "";
      const tables = byHost.get(host);
      const owner = ownerOf?.(host);
      const entry = (tables && findOfHost(tables, owner, segments)) ?? atAnyHost.find(segments)?.value;
      // A request for an organisation's host name is meant for that organisation only.
      if (entry !== undefined && !isOpenTo(entry.routed.organisation, tables, owner)) return undefined;
      if (entry?.routed.versions === undefined) {
        const found = entry && foundAt(entry, request.path);
        if (found !== undefined && !hasHosts) known.set(request.path, found);
        return found;
      }
      const below = dropSegments(request.path, entry.depth);
      const named = entry.routed.versions.choose(request, below, runs);
      if (named instanceof GatewayError) return named;
      const version = byId.get(named.version.id);
      return version && foundVersion(entry, version, named, request.path);
    },
  };
}

/** Returns the table of the API's host name; `undefined` for an API without one. */
function tableFor<A>(
  { host, organisation }: RoutedApi<A>,
  byHost: Map<string, HostTables<A>>,
): PathTable<ApiEntry<A>> | undefined {
  if (host === undefined) return undefined;
  const tables: HostTables<A> = byHost.get(host) ?? new Map();
  byHost.set(host, tables);
  const table = tables.get(organisation) ?? new PathTable();
  tables.set(organisation, table);
  return table;
}

/** Returns the API with the longest listen path for a host name: if the name has an owner, among the owner's APIs. */
function findOfHost<A>(
  tables: HostTables<A>,
  owner: string | undefined,
  segments: readonly string[],
): ApiEntry<A> | undefined {
  if (owner !== undefined) return tables.get(owner)?.find(segments)?.value;
  let longest: ApiEntry<A> | undefined;
  for (const table of tables.values()) {
    const entry = table.find(segments)?.value;
    if (entry !== undefined && entry.depth > (longest?.depth ?? -1)) longest = entry;
  }
  return longest;
}

/** Whether APIs of an organisation may be reached by a host name with these APIs and this owner. */
function isOpenTo<A>(
  organisation: string | undefined,
  tables: HostTables<A> | undefined,
  owner: string | undefined,
): boolean {
  return owner === undefined ? tables?.has(organisation) !== false : organisation === owner;
}

function mount<A>(entry: ApiEntry<A>, listenPaths: PathTable<ApiEntry<A>>): void {
  const { listenPath, host } = entry.routed;
  const bare = listenPath.replace(/\/$/, "");
  for (const pattern of bare === "" ? ["/"] : [bare, listenPath]) {
    const present = listenPaths.at(pattern, () => entry);
    if (present === entry) continue;
    if (host === undefined) throw new Error(`two APIs listen at ${listenPath}`);
    // Host names may come from the environment, which the compiler does not see.
    throw new EnvironmentError([`two APIs listen at ${listenPath} of ${host}`]);
  }
}

/** Returns the host name, which is in lower case, without the dot at its end: both forms name the same host. */
function hostOf({ hostname }: URL): string {
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

function foundAt<A>(
  { routed, depth, paths }: ApiEntry<A>,
  path: RequestPath,
  mountedAt = { path: routed.listenPath, depth },
  listenPath = routed.listenPath,
  segments = depth,
): FoundApi<A> {
  const rest = dropSegments(path, segments);
  const found = paths.find(rest.segments);
  return {
    api: routed.api,
    listenPath,
    rest,
    mount: mountedAt,
    routes: found?.value,
    values: found?.values ?? [],
    verb: "",
    route: undefined,
  };
}

/** Returns an API as a version of another, below the listen path of that API. */
function foundVersion<A>(
  { routed: base, depth }: ApiEntry<A>,
  entry: ApiEntry<A>,
  { version: { name }, isInPath }: NamedVersion,
  path: RequestPath,
): FoundApi<A> {
  const mountedAt = { path: base.listenPath, depth };
  const listenPath = isInPath ? `${base.listenPath}${name}/` : base.listenPath;
  const strip = base.versions?.strip;
  const version: FoundVersion = {
    name,
    base: base.id,
    isCutOff: isInPath && base.versions?.isStripped === true,
    ...(strip !== undefined && { strip }),
  };
  return { ...foundAt(entry, path, mountedAt, listenPath, isInPath ? depth + 1 : depth), version };
}

function createEntry<A>(routed: RoutedApi<A>): ApiEntry<A> {
  const paths = new PathTable<MutableRoutes>();
  for (const route of routed.routes) {
    const at = paths.at(route.endpoint.path, createRoutes);
    const names = parameterNames(route.endpoint.path);
    if (names.length > 0) {
      at.parameterNames ??= new Map();
      at.parameterNames.set(route, names);
    }
    if (route.endpoint.transport === "websocket") addSocket(at, route);
    else for (const verb of route.endpoint.verbs) addVerb(at, verb, route);
  }
  return { routed, depth: routed.listenPath.split("/").length - 2, paths };
}

function createRoutes(): MutableRoutes {
  return { byVerb: new Map(), sockets: [] };
}

function addVerb({ byVerb }: MutableRoutes, verb: string, route: StreamRoute): void {
  if (byVerb.has(verb)) throw new Error(`two routes answer ${verb} ${route.endpoint.path}`);
  byVerb.set(verb, route);
}

function addSocket({ sockets }: MutableRoutes, route: StreamRoute): void {
  const clash = sockets.some(({ stream, role }) => stream !== route.stream || role === route.role);
  if (clash) throw new Error(`two routes open sockets at ${route.endpoint.path}`);
  sockets.push(route);
}
