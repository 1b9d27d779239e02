// A gateway that follows deployments, as a process: signals, exit codes, and the last words of one that cannot start.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEnvironment, readMounted } from "../environment.ts";
import { createLogger } from "../log.ts";
import { readLogLevel } from "../settings.ts";
import { startProblems } from "../start-problems.ts";
import { Deployer, type LiveGateway, ProcessError } from "./deployer.ts";
import { follow } from "./follow.ts";
import { startProcess } from "./live-process.ts";
import type { RuntimeModules } from "./load-unit.ts";
import { reportTo } from "./reporter.ts";
import { readFollowSettings } from "./settings.ts";

/** The runtime that lies as JavaScript in `folder`, module by module under the names of its sources. */
export function runtimeIn(folder: string, digest: string): RuntimeModules {
  return {
    digest,
    load(module) {
      const file = module.replace(/^runtime\//, "").replace(/\.ts$/, ".js");
      return import(pathToFileURL(join(folder, file)).href);
    },
  };
}

/**
 * Serves what is deployed at `from`, the address of a management service or a folder, until SIGTERM or SIGINT; then drains
 * and exits 0. A second signal exits at once. Exits 1 when the process cannot start, after one log line that says why.
 */
export async function runFollowing(from: string, runtime: RuntimeModules): Promise<void> {
  const stopping = stopOnSignal();
  try {
    const environment = createEnvironment(process.env, readMounted);
    const { settings, level } = environment.collect(() => ({
      settings: readFollowSettings(from, environment),
      level: readLogLevel(environment),
    }));
    const log = createLogger(level);
    const { source, verifyKey, cacheFolder, notes } = settings;
    for (const note of notes) log.warn(note);
    let gateway: (LiveGateway & { close(): Promise<void> }) | undefined;
    const deployer = new Deployer({
      ...{ runtime, key: verifyKey, cacheFolder, log },
      async start(definition, apis) {
        gateway = await startProcess(definition, apis, { log, defaultListen: "0.0.0.0:8080" });
        return gateway;
      },
    });
    log.info("following deployments", { from: source.name, runtime: runtime.digest });
    const reporting = reportTo(source, () => deployer.report(), { log, signal: stopping });
    await follow({ deployer, source, cacheFolder, signal: stopping });
    await Promise.all([gateway?.close(), reporting]);
    process.exit(0);
  } catch (error) {
    const cause = error instanceof ProcessError ? error.cause : error;
    const problems = startProblems(cause);
    // The level in the environment may be what is wrong, and this line is wanted at every level.
    createLogger("error").error("cannot start", problems === undefined ? { error: cause } : { problems });
    process.exit(1);
  }
}

/** Aborts at the first signal to end; the second ends the process at once. */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}
