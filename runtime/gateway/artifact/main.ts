// A gateway that follows deployments, as a process: signals, exit codes, and the last words of one that cannot start.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEnvironment } from "../../process/environment.ts";
import { createLogger, type LogLevel } from "../../process/log.ts";
import { readMachineText } from "../../process/machine-files.ts";
import { startProblems } from "../../process/start-problems.ts";
import { onStopSignal } from "../../process/stop-signals.ts";
import { readWorkerPlace } from "../../process/worker-place.ts";
import { readLogLevel } from "../settings.ts";
import { WorkerFailure } from "../workers/primary.ts";
import { startWorkers } from "./deployed-workers.ts";
import { ProcessError } from "./deployer.ts";
import type { RuntimeModules } from "./load-unit.ts";
import { serveSource, startProcess } from "./serve-source.ts";
import { readFollowSettings } from "./settings.ts";
import type { ArtifactSource } from "./source.ts";
import { serveAsWorker } from "./worker.ts";

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
 * Serves what is deployed at `from`, the address of a management service or a folder, until a signal ends it; then drains
 * and exits 0. A second signal exits at once. Exits 1 when the process cannot start, after one log line that says why.
 */
export async function runFollowing(from: string, runtime: RuntimeModules): Promise<void> {
  const stopping = new AbortController();
  onStopSignal(() => stopping.abort());
  const defaultListen = "0.0.0.0:8080";
  const place = readWorkerPlace();
  try {
    const environment = createEnvironment(process.env, readMachineText);
    if (place !== undefined) {
      const log = createLogger(readLogLevel(environment));
      await serveAsWorker(place, { runtime, log, defaultListen, signal: stopping.signal });
      process.exit(0);
    }
    const { settings, level } = environment.collect(() => ({
      settings: readFollowSettings(from, environment),
      level: readLogLevel(environment),
    }));
    const log = createLogger(level);
    const { source, verifyKey, cacheFolder, notes } = settings;
    for (const note of notes) log.warn(note);
    await serveSource(source, {
      ...{ runtime, key: verifyKey, cacheFolder, log, defaultListen },
      // What is not a number above 1 is judged with everything else that a gateway reads.
      start: Number(process.env.GW_WORKERS) > 1 ? startWorkers : startProcess,
      signal: stopping.signal,
    });
    process.exit(0);
  } catch (error) {
    const cause = error instanceof ProcessError ? error.cause : error;
    // A worker that could not start has said why itself.
    if (cause instanceof WorkerFailure) process.exit(1);
    const problems = startProblems(cause);
    // The level in the environment may be what is wrong, and this line is wanted at every level.
    createLogger("error").error("cannot start", problems === undefined ? { error: cause } : { problems });
    process.exit(1);
  }
}

/**
 * The same within a process that does other things, too: until `signal` ends it. What it is given cannot be changed, so
 * that no signature is asked for. Rejects with the reason where the gateway cannot start.
 */
export async function followWithin(
  source: ArtifactSource,
  runtime: RuntimeModules,
  { signal, level }: { readonly signal: AbortSignal; readonly level: LogLevel },
): Promise<void> {
  const log = createLogger(level);
  try {
    await serveSource(source, {
      ...{ runtime, key: undefined, cacheFolder: undefined, log, signal },
      defaultListen: "127.0.0.1:8080",
      start: startProcess,
    });
  } catch (error) {
    throw error instanceof ProcessError ? error.cause : error;
  }
}
