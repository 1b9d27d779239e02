// A gateway that serves what a place of deployments has, and tells the place how it is.

import type { GatewayDefinition } from "../../gateway.ts";
import type { Logger } from "../../process/log.ts";
import type { DeployedApi } from "../live/deployed-api.ts";
import { makeLive } from "../live/live.ts";
import { type RunningGateway, type ServeOptions, serveGateway } from "../serve.ts";
import { type TailedProcess, Tailing } from "../tail/tailing.ts";
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
  /** Starts what serves: this process, or workers. */
  readonly start: StartServed;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** What serves the deployments that are taken. */
export interface ServedProcess extends DeployableGateway {
  /** The states of its streams. */
  states(): readonly unknown[] | Promise<readonly unknown[]>;
  readonly tailing: TailedProcess;
  /** Resolves when what was in flight is done. */
  close(): Promise<void>;
}

/** Starts what serves with a first set, as far as it starts with it. Rejects where it cannot start at all. */
export type StartServed = (
  definition: GatewayDefinition,
  set: DeployedSet,
  options: ServeOptions,
) => Promise<ServedProcess>;

/** This process as what serves. */
export interface SingleProcess extends ServedProcess {
  readonly gateway: RunningGateway;
}

/**
 * Serves until `signal` ends it, and resolves when what was in flight is done. Rejects with a `ProcessError` where the
 * process of the gateway cannot start.
 */
export async function serveSource(source: ArtifactSource, options: ServeSourceOptions): Promise<void> {
  const { log, cacheFolder, defaultListen, signal } = options;
  let served: ServedProcess | undefined;
  const deployer = new Deployer({
    ...options,
    async start(definition, set) {
      served = await options.start(definition, set, { log, defaultListen });
      return served;
    },
  });
  log.info("following deployments", { from: source.name, runtime: options.runtime.digest });
  const reporting = new AbortController();
  const report = async () => ({ ...deployer.report(), streams: (await served?.states()) ?? [] });
  const reported = reportTo(source, report, {
    log,
    signal: AbortSignal.any([signal, reporting.signal]),
    tailing: {
      want: (request) => served?.tailing.want(request),
      drain: () => served?.tailing.drain() ?? [],
    },
  });
  try {
    await follow({ deployer, source, cacheFolder, signal });
  } finally {
    reporting.abort();
    await Promise.all([served?.close(), reported]);
  }
}

/**
 * Has this process serve. It starts with the APIs and the owners of host names, so that no request comes before they are there.
 * Where it does not start with them all, it starts without, and what is wrong is found for each when they are applied. Rejects
 * where it cannot start at all.
 */
export async function startProcess(
  definition: GatewayDefinition,
  { apis, hostOwner }: DeployedSet,
  options: ServeOptions,
): Promise<SingleProcess> {
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
  const live = makeLive(running, { deployed: first });
  const { streams } = running;
  return {
    gateway: running,
    apply: (set) => live.apply(set.apis, set.hostOwner),
    states: streams.states,
    tailing: new Tailing((api, stream) => streams.slot(api, stream)?.tap),
    close: () => running.close(),
  };
}
