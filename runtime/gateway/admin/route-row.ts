// A route as operators see it.

import type { Endpoint, EndpointRole } from "../../component/endpoint.ts";

/** One row of `/routes` on the admin listener. */
export interface RouteRow {
  readonly api: string;
  readonly transport: Endpoint["transport"];
  /** Empty if the route accepts every verb: WebSocket routes, and those of an upstream. */
  readonly verbs: readonly string[];
  /** The path with the listen path and the names of parameters; `*` stands for everything that no other row matches. */
  readonly path: string;
  /** The host name that requests must have; absent if the route serves every host name. */
  readonly host?: string;
  /** The version that the row belongs to, if the API is reached as one of the versions of an API. */
  readonly version?: string;
  /** The stream that serves the route, and `role` the part of it; absent if requests go to the upstream. */
  readonly stream?: string;
  readonly role?: EndpointRole;
  /** Places of the chain that the API's document fills, in the order of the document's protections. */
  readonly protections: readonly string[];
  /**
   * Who may call, by verb: `GET` for WebSocket routes, `*` for every verb. Names the schemes of the document, such as
   * `key or token (scope orders:read)`, or is `open` if no credential is needed.
   */
  readonly callers: Readonly<Record<string, string>>;
  /** Ids of the configured policies that open the API; absent if there is none. */
  readonly policies?: readonly string[];
}
