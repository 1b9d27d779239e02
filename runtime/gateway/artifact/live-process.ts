// The process of a gateway that follows deployments.

import type { GatewayDefinition } from "../../gateway.ts";
import type { DeployedApi } from "../live/deployed-api.ts";
import { makeLive } from "../live/live.ts";
import { type RunningGateway, type ServeOptions, serveGateway } from "../serve.ts";
import type { DeployedSet, LiveGateway } from "./deployer.ts";

/**
 * Starts it with `apis` and the owners of host names, so that no request comes before they are there. Where it does not start with them all, it starts
 * without, and what is wrong is found for each when they are applied. Rejects where it cannot start at all.
 */
export async function startProcess(
  definition: GatewayDefinition,
  { apis, hostOwner }: DeployedSet,
  options: ServeOptions,
): Promise<LiveGateway & { close(): Promise<void> }> {
  const serve = (served: readonly DeployedApi[]) =>
    serveGateway({ ...definition, apis: served.map((api) => api.definition) }, { ...options, hostOwner });
  // Streams that an operator stopped are not to run for a moment first: that is for applying to see to.
  let first = apis.some(({ stopped }) => stopped.size > 0) ? [] : apis;
  let running: RunningGateway;
  try {
    running = await serve(first);
  } catch (error) {
    if (first.length === 0) throw error;
    first = [];
    running = await serve(first);
  }
  const { apply } = makeLive(running, { deployed: first });
  return { apply, streams: running.streams, close: () => running.close() };
}
