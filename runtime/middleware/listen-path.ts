// Finds the API that a request is for, and the version of it.

import { GatewayError } from "../errors.ts";
import type { Step } from "../http/chain.ts";
import type { RoutingReference } from "./routing.ts";

/**
 * Every step after this one has `call.api`. A request under no listen path gets 404, and so does one that names a version
 * nobody is.
 */
export function listenPath(routing: RoutingReference): Step {
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
export const stripVersion: Step = (call) => {
  call.api?.version?.strip?.(call);
  return "next";
};
