// What operators see of a route.

import type { Endpoint, EndpointRole } from "../../component/endpoint.ts";

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
  /**
   * By verb who may call; that of sockets is GET, and `*` is every verb. The schemes of the document by their names, such as
   * `key or token (scope orders:read)`, or `open` where no credential is asked for.
   */
  readonly callers: Readonly<Record<string, string>>;
  /** Ids of the policies of the settings that open the API; absent where it has none. */
  readonly policies?: readonly string[];
}
