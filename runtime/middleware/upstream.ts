// Sends what no stream route took to the upstream of the API.

import type { ApiIdentity } from "../api-identity.ts";
import { GatewayError } from "../errors.ts";
import type { PreparedApi } from "../prepared-api.ts";
import type { RunningUpstream, UpstreamContext } from "../upstream.ts";
import type { Step } from "./chain.ts";

/** The upstreams of all APIs at work. */
export interface Upstreams extends Pick<RunningUpstream, "stop" | "close"> {
  /** Without an upstream a request gets 404. */
  readonly step: Step;
}

/** Starts the upstreams of all APIs; where one cannot start, closes the others and throws its failure. */
export function startUpstreams(
  apis: readonly Pick<PreparedApi, "served" | "upstream">[],
  { log, maxBodyBytes }: UpstreamContext,
): Upstreams {
  const running = new Map<ApiIdentity, RunningUpstream>();
  const close = () => {
    for (const upstream of running.values()) upstream.close();
  };
  try {
    for (const { served, upstream } of apis) {
      const { definition } = served;
      const own = { log: log.with({ api: definition.id, component: "upstream" }), maxBodyBytes };
      if (upstream !== undefined) running.set(definition, upstream.start(own));
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    step(call) {
      const upstream = call.api && running.get(call.api.api.definition);
      return upstream?.forward(call) ?? new GatewayError(404, "not found");
    },
    stop() {
      for (const upstream of running.values()) upstream.stop();
    },
    close,
  };
}
