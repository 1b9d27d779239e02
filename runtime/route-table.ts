// The compiled routes of a gateway, for operators to read.

import type { Endpoint, EndpointRole } from "./component.ts";
import { type PreparedApi, routesOf } from "./prepared-api.ts";

/** One row of `/routes` on the listener for operators. */
export interface RouteRow {
  readonly api: string;
  readonly transport: Endpoint["transport"];
  /** Empty where every verb is meant: sockets, and what goes to an upstream. */
  readonly verbs: readonly string[];
  /** With the listen path and the names of parameters; `*` stands for everything that no other row takes. */
  readonly path: string;
  /** The only host it is found under; any where there is none. */
  readonly host?: string;
  /** The version that it belongs to, where it is found as one of an API that has versions. */
  readonly version?: string;
  /** Which stream serves it, and with which part; absent where it goes to the upstream. */
  readonly stream?: string;
  readonly role?: EndpointRole;
  /** Places of the chain that the API's document filled, in the order of the document's protections. */
  readonly protections: readonly string[];
}

/** The rows of all APIs: streams as they were written, the upstream last. Without one, other paths are not found. */
export function listRoutes(apis: readonly PreparedApi[]): readonly RouteRow[] {
  return apis.flatMap((api) => {
    const { id } = api.definition;
    const protections = [...new Set(api.protections.map(({ place }) => place))];
    return placesOf(id, apis).flatMap(({ path, ...place }): readonly RouteRow[] => {
      const own = { api: id, ...place, protections };
      const rows = routesOf(api).map(
        ({ stream, role, endpoint }): RouteRow => ({
          ...own,
          transport: endpoint.transport,
          verbs: endpoint.transport === "http" ? endpoint.verbs : [],
          path: path + endpoint.path.replace(/^\//, ""),
          stream,
          role,
        }),
      );
      if (api.upstream === undefined) return rows;
      return [...rows, { ...own, transport: "http", verbs: [], path: `${path}*` }];
    });
  });
}

/** Where an API is found: below its own listen path, and as a version below that of others. */
type Place = Pick<RouteRow, "path" | "host" | "version">;

function placesOf(id: string, apis: readonly PreparedApi[]): readonly Place[] {
  return apis.flatMap((api): readonly Place[] => {
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
