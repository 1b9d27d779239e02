// Finds the API that a request is for.

import { GatewayError } from "../errors.ts";
import type { Step } from "./chain.ts";
import type { RoutingReference } from "./routing.ts";

/** Every step after this one has `call.api`. A request under no listen path gets 404. */
export function listenPath(routing: RoutingReference): Step {
  return (call) => {
    call.api = routing.current.router.findApi(call.path);
    return call.api === undefined ? new GatewayError(404, "not found") : "next";
  };
}
