// Sends what no stream route took to the upstream of the API.

import { GatewayError } from "../errors.ts";
import type { Step } from "../http/chain.ts";

/** Without an upstream a request gets 404. */
export const toUpstream: Step = (call) =>
  call.api?.api.upstream?.(call) ?? new GatewayError(404, "not found");
