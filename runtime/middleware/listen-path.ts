// Finds the API that a request is for.

import { GatewayError } from "../errors.ts";
import type { Router } from "../router.ts";
import type { ServedApi } from "./call.ts";
import type { Step } from "./chain.ts";

/** Every step after this one has `call.api`. A request under no listen path gets 404. */
export function listenPath(router: Router<ServedApi>): Step {
  return (call) => {
    call.api = router.findApi(call.path);
    return call.api === undefined ? new GatewayError(404, "not found") : "next";
  };
}
