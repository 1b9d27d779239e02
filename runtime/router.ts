// From the path of a request to the API and the stream routes that serve it.

import type { Endpoint, EndpointRole } from "./component.ts";
import { PathTable } from "./path-table.ts";
import { dropSegments, type RequestPath } from "./request-path.ts";

/** A route and the part of a stream that serves it. */
export interface StreamRoute {
  readonly stream: string;
  readonly role: EndpointRole;
  /** Position among the endpoints of that part. */
  readonly index: number;
  readonly endpoint: Endpoint;
}

/** An API with the routes of its streams, below its listen path. */
export interface RoutedApi<A> {
  readonly api: A;
  /** Begins and ends with `/`. */
  readonly listenPath: string;
  readonly routes: readonly StreamRoute[];
}

/** Every route of one path. */
export interface PathRoutes {
  readonly byVerb: ReadonlyMap<string, StreamRoute>;
  /** The input's, the output's, or both where one stream serves a path with one socket. */
  readonly sockets: readonly StreamRoute[];
}

/** The API that answers for a path. */
export interface FoundApi<A> {
  readonly api: A;
  readonly listenPath: string;
  /** The path below the listen path. */
  readonly rest: RequestPath;
  /** The routes of that path with what its parameters took; looked up once. */
  findRoutes(): { readonly value: PathRoutes; readonly values: readonly string[] } | undefined;
}

export interface Router<A> {
  /** The API with the longest listen path that `path` lies under; `/orders` lies under `/orders/`. */
  findApi(path: RequestPath): FoundApi<A> | undefined;
}

interface MutableRoutes {
  readonly byVerb: Map<string, StreamRoute>;
  readonly sockets: StreamRoute[];
}

interface ApiEntry<A> {
  readonly routed: RoutedApi<A>;
  readonly depth: number;
  readonly paths: PathTable<MutableRoutes>;
}

/** Compiles the table. Throws when two APIs share a listen path or two streams claim one route. */
export function createRouter<A>(apis: readonly RoutedApi<A>[]): Router<A> {
  const listenPaths = new PathTable<ApiEntry<A>>();
  for (const routed of apis) {
    const entry = createEntry(routed);
    const bare = routed.listenPath.replace(/\/$/, "");
    for (const pattern of bare === "" ? ["/"] : [bare, routed.listenPath]) {
      const present = listenPaths.at(pattern, () => entry);
      if (present !== entry) throw new Error(`two APIs listen at ${routed.listenPath}`);
    }
  }
  return {
    findApi(path) {
      const entry = listenPaths.find(path.segments)?.value;
      if (entry === undefined) return undefined;
      const rest = dropSegments(path, entry.depth);
      const { api, listenPath } = entry.routed;
      let found: ReturnType<FoundApi<A>["findRoutes"]> | null = null;
      const findRoutes = () => {
        if (found === null) found = entry.paths.find(rest.segments);
        return found;
      };
      return { api, listenPath, rest, findRoutes };
    },
  };
}

function createEntry<A>(routed: RoutedApi<A>): ApiEntry<A> {
  const paths = new PathTable<MutableRoutes>();
  for (const route of routed.routes) {
    const at = paths.at(route.endpoint.path, () => ({ byVerb: new Map(), sockets: [] }));
    if (route.endpoint.transport === "websocket") addSocket(at, route);
    else for (const verb of route.endpoint.verbs) addVerb(at, verb, route);
  }
  return { routed, depth: routed.listenPath.split("/").length - 2, paths };
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
