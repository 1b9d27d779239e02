// A gateway that serves what a place of deployments has, and tells the place how it is.

import type { GatewayDefinition } from "../../gateway.ts";
import type { Logger } from "../../process/log.ts";
import type { DeployedApi } from "../live/deployed-api.ts";
import { makeLive } from "../live/live.ts";
import { type RunningGateway, type ServeOptions, serveGateway } from "../serve.ts";
import { Tailing } from "../tail/tailing.ts";
import { type DeployableGateway, type DeployedSet, Deployer } from "./deployer.ts";
import type { Verification } from "./deployment.ts";
import { follow } from "./follow.ts";
import { reportTo } from "./reporter.ts";
import type { ArtifactSource } from "./source.ts";

export interface ServeSourceOptions extends Verification {
  readonly log: Logger;
  /** Where a copy of what is served is kept. */
  readonly cacheFolder: string | undefined;
  /** Where to listen when neither `GW_LISTEN` nor the definition says. */
  readonly defaultListen: string;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Serves until `signal` ends it, and resolves when what was in flight is done. Rejects with a `ProcessError` where the
 * process of the gateway cannot start.
 */
export async function serveSource(source: ArtifactSource, options: ServeSourceOptions): Promise<void> {
  const { log, cacheFolder, defaultListen, signal } = options;
  let gateway: (DeployableGateway & { close(): Promise<void> }) | undefined;
  const deployer = new Deployer({
    ...options,
    async start(definition, set) {
      gateway = await startProcess(definition, set, { log, defaultListen });
      return gateway;
    },
  });
  log.info("following deployments", { from: source.name, runtime: options.runtime.digest });
  const reporting = new AbortController();
  const reported = reportTo(source, () => deployer.report(), {
    log,
    signal: AbortSignal.any([signal, reporting.signal]),
    tailing: new Tailing((api, stream) => deployer.tapOf(api, stream)),
  });
  try {
    await follow({ deployer, source, cacheFolder, signal });
  } finally {
    reporting.abort();
    await Promise.all([gateway?.close(), reported]);
  }
}

/**
 * Starts it with `apis` and the owners of host names, so that no request comes before they are there. Where it does not start with them all, it starts
 * without, and what is wrong is found for each when they are applied. Rejects where it cannot start at all.
 */
async function startProcess(
  definition: GatewayDefinition,
  { apis, hostOwner }: DeployedSet,
  options: ServeOptions,
): Promise<DeployableGateway & { close(): Promise<void> }> {
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
