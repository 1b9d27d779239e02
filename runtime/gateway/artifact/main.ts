// A gateway that follows deployments, as a process: signals, exit codes, and the last words of one that cannot start.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEnvironment, readMounted } from "../../process/environment.ts";
import { createLogger, type LogLevel } from "../../process/log.ts";
import { startProblems } from "../../process/start-problems.ts";
import { readLogLevel } from "../settings.ts";
import { ProcessError } from "./deployer.ts";
import type { RuntimeModules } from "./load-unit.ts";
import { serveSource } from "./serve-source.ts";
import { readFollowSettings } from "./settings.ts";
import type { ArtifactSource } from "./source.ts";

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
    await serveSource(source, {
      ...{ runtime, key: verifyKey, cacheFolder, log },
      defaultListen: "0.0.0.0:8080",
      signal: stopping,
    });
    process.exit(0);
  } catch (error) {
    const cause = error instanceof ProcessError ? error.cause : error;
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
    });
  } catch (error) {
    throw error instanceof ProcessError ? error.cause : error;
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
