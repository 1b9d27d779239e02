// Which endpoint serves a route, where several versions of a stream have one for it.

import type { Endpoint } from "../component/endpoint.ts";

/** Whether requests for one may be served by the other. */
export function isSameRoute(endpoint: Endpoint, declared: Endpoint): boolean {
  if (endpoint.path !== declared.path) return false;
  if (endpoint.transport === "websocket") return declared.transport === "websocket";
  return declared.transport === "http" && declared.verbs.some((verb) => endpoint.verbs.includes(verb));
}
