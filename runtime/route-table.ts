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
  /** Which stream serves it, and with which part; absent where it goes to the upstream. */
  readonly stream?: string;
  readonly role?: EndpointRole;
  /** Places of the chain that the API's document filled, in the order of the document's protections. */
  readonly protections: readonly string[];
}

/** The rows of all APIs: streams as they were written, the upstream last. Without one, other paths are not found. */
export function listRoutes(apis: readonly PreparedApi[]): readonly RouteRow[] {
  return apis.flatMap((api) => {
    const { id, listenPath } = api.definition;
    const protections = [...new Set(api.protections.map(({ place }) => place))];
    const own = { api: id, protections };
    const rows = routesOf(api).map(
      ({ stream, role, endpoint }): RouteRow => ({
        ...own,
        transport: endpoint.transport,
        verbs: endpoint.transport === "http" ? endpoint.verbs : [],
        path: listenPath + endpoint.path.replace(/^\//, ""),
        stream,
        role,
      }),
    );
    if (api.upstream === undefined) return rows;
    return [...rows, { ...own, transport: "http", verbs: [], path: `${listenPath}*` }];
  });
}
