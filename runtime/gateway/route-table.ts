// Lists the compiled routes of a gateway for operators.

import type { Endpoint } from "../component/endpoint.ts";
import type { RoutedPath } from "../http/incoming/operation-table.ts";
import type { PathRoutes, StreamRoute } from "../http/router.ts";
import type { PolicyRecord } from "../keys/records.ts";
import type { RouteRow } from "./admin/route-row.ts";
import { type PreparedApi, routesOf } from "./prepared-api.ts";

/**
 * Returns the rows of all APIs: the streams in their order, then the routes to the upstream, beginning with the
 * operations that require specific credentials. Without an upstream, other paths are not found.
 */
export function listRoutes(
  apis: readonly PreparedApi[],
  policies: ReadonlyMap<string, PolicyRecord> = new Map(),
): readonly RouteRow[] {
  return apis.flatMap((api) => {
    const { id } = api.definition;
    const routes = routesOf(api);
    const protections = [...new Set(api.protections.map(({ place }) => place))];
    const asking = api.protections.find(({ callers }) => callers !== undefined)?.callers;
    const callersOf = (verbs: readonly string[], path: string, route?: StreamRoute) =>
      Object.fromEntries(
        verbs.map((verb) => [verb, asking?.callersOf(verb, placeOf(path, route)) ?? "open"]),
      );
    const opening = [...policies].flatMap(([policy, { access_rights: rights = {} }]) =>
      Object.hasOwn(rights, id) ? [policy] : [],
    );
    return placesOf(id, apis).flatMap(({ path, ...place }): readonly RouteRow[] => {
      const own = { api: id, ...place, protections, ...(opening.length > 0 && { policies: opening }) };
      const rows = routes.map(
        (route): RouteRow => ({
          ...own,
          transport: route.endpoint.transport,
          verbs: route.endpoint.transport === "http" ? route.endpoint.verbs : [],
          path: below(path, route.endpoint.path),
          stream: route.stream,
          role: route.role,
          callers: callersOf(verbsOf(route.endpoint), route.endpoint.path, route),
        }),
      );
      if (api.upstream === undefined) return rows;
      const passed = (asking?.operations ?? []).filter(
        (operation) => !routes.some(({ endpoint }) => shapeOf(endpoint.path) === shapeOf(operation.path)),
      );
      return [
        ...rows,
        ...passed.map((operation): RouteRow => {
          const verbs = [operation.verb];
          const callers = callersOf(verbs, operation.path);
          return { ...own, transport: "http", verbs, path: below(path, operation.path), callers };
        }),
        { ...own, transport: "http", verbs: [], path: `${path}*`, callers: callersOf(["*"], "/*") },
      ];
    });
  });
}

/** Returns the verbs of an endpoint; a WebSocket connection begins with a GET. */
function verbsOf(endpoint: Endpoint): readonly string[] {
  return endpoint.transport === "http" ? endpoint.verbs : ["GET"];
}

function below(listenPath: string, path: string): string {
  return listenPath + path.replace(/^\//, "");
}

const noRoutes: PathRoutes = { byVerb: new Map(), sockets: [] };

/** Returns the routed path of a pattern: its parameters stand for values that no operation contains literally. */
function placeOf(pattern: string, route: StreamRoute | undefined): RoutedPath {
  const segments = pattern.replace(/^\//, "").split("/");
  const routes = route && { ...noRoutes, byVerb: new Map([["", route]]) };
  return { rest: { raw: segments, segments }, routes };
}

function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, "{}");
}

/** A path at which an API is reached: its own listen path, or as a version below the listen path of another API. */
type ApiPlace = Pick<RouteRow, "path" | "host" | "version">;

function placesOf(id: string, apis: readonly PreparedApi[]): readonly ApiPlace[] {
  return apis.flatMap((api): readonly ApiPlace[] => {
    const { id: own, listenPath, versions, internal } = api.definition;
    if (internal === true) return [];
    const host = api.host === undefined ? {} : { host: api.host };
    if (versions === undefined) return own === id ? [{ path: listenPath, ...host }] : [];
    const { all, isInPath, unnamed } = versions;
    const named = all.flatMap((version) =>
      version.id === id
        ? [{ path: isInPath ? `${listenPath}${version.name}/` : listenPath, ...host, version: version.name }]
        : [],
    );
    const isUnnamed = isInPath && unnamed?.id === id;
    return isUnnamed ? [...named, { path: listenPath, ...host, version: unnamed.name }] : named;
  });
}
