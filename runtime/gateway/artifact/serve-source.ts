// A gateway that serves what a place of deployments has, and tells the place how it is.

import type { Logger } from "../../process/log.ts";
import { Tailing } from "../tail/tailing.ts";
import { Deployer, type LiveGateway } from "./deployer.ts";
import type { Verification } from "./deployment.ts";
import { follow } from "./follow.ts";
import { startProcess } from "./live-process.ts";
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
  let gateway: (LiveGateway & { close(): Promise<void> }) | undefined;
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
