// How requests are led to APIs: replaced as a whole, so that no request sees half of a change.

import { GatewayError } from "../errors.ts";
import type { ChainStep, ServedApi } from "../http/call.ts";
import type { Router } from "../http/router.ts";

/** What leads requests at a time. */
export interface Routing {
  readonly router: Router<ServedApi>;
  /** Whether any API says which pages may call it. */
  readonly hasCors: boolean;
}

/** Where the routing of the moment is looked up. */
export interface RoutingReference {
  readonly current: Routing;
}

/**
 * Every step after this one has `call.api`. A request under no listen path gets 404, and so does one that names an
 * unknown version.
 */
export function listenPath(routing: RoutingReference): ChainStep {
  return (call) => {
    const found = routing.current.router.findApi(call) ?? new GatewayError(404, "not found");
    if (found instanceof GatewayError) return found;
    call.api = found;
    return "next";
  };
}

/**
 * Takes the name of the version off what goes on, where the document asks for that. It follows the step that passes
 * requests on to another worker, which has to find the same version.
 */
export const stripVersion: ChainStep = (call) => {
  call.api?.version?.strip?.(call);
  return "next";
};

/** Without an upstream a request gets 404. */
export const toUpstream: ChainStep = (call) =>
  call.api?.api.upstream?.(call) ?? new GatewayError(404, "not found");
