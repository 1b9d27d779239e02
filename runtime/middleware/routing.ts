// Routes requests to APIs. The routing is replaced as a whole, so that no request sees half of a change.

import { GatewayError } from "../errors.ts";
import type { ChainStep, ServedApi } from "../http/call.ts";
import type { Router } from "../http/router.ts";

/** The routing at one point in time. */
export interface Routing {
  readonly router: Router<ServedApi>;
  /** Whether any API has a CORS policy. */
  readonly hasCors: boolean;
}

/** A reference to the current routing. */
export interface RoutingReference {
  readonly current: Routing;
}

/** Sets `call.api` for later steps. Responds 404 if no listen path matches, or the version does not exist. */
export function listenPath(routing: RoutingReference): ChainStep {
  return (call) => {
    const found = routing.current.router.findApi(call) ?? new GatewayError(404, "not found");
    if (found instanceof GatewayError) return found;
    call.api = found;
    return "next";
  };
}

/**
 * Removes the name of the version from the request if the document says so. Runs after the step that passes requests to
 * another worker, which must find the same version.
 */
export const stripVersion: ChainStep = (call) => {
  call.api?.version?.strip?.(call);
  return "next";
};

/** Passes the request to the upstream; responds 404 if there is none. */
export const toUpstream: ChainStep = (call) =>
  call.api?.api.upstream?.(call) ?? new GatewayError(404, "not found");
