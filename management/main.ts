// Runs the service as a process: environment, signals, and the log line if it cannot start.

import type { ManagementSettings } from "../compiler/index.ts";
import { GatewayError } from "../runtime/errors.ts";
import type { ArtifactSource } from "../runtime/gateway/artifact/source.ts";
import { readLogLevel } from "../runtime/gateway/settings.ts";
import { createEnvironment } from "../runtime/process/environment.ts";
import { createLogger, type LogLevel } from "../runtime/process/log.ts";
import { readMachineText } from "../runtime/process/machine-files.ts";
import { onStopSignal } from "../runtime/process/shutdown.ts";
import { startProblems } from "../runtime/process/start-problems.ts";
import { workerFile } from "./compiling/worker-file.ts";
import { type Installation, type RunningService, startService } from "./service.ts";
import { readServiceSettings } from "./settings.ts";

/** The options of a gateway in this process. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly level: LogLevel;
}

/** The options of the service. */
export interface MainOptions {
  /** The contents of `management.yaml`; empty if the file does not exist. */
  readonly settings: ManagementSettings;
  /** The path of `management.yaml`, whether or not it exists. */
  readonly path: string;
  readonly installation: Omit<Installation, "compilingThread">;
  /** Runs a gateway with the deployments in this process, until it is stopped. */
  readonly follow?: (source: ArtifactSource, options: FollowOptions) => Promise<void>;
}

/**
 * Serves until a signal arrives, then finishes the requests in progress; a second signal ends the process immediately.
 * Returns the exit code: 0, or 1 if the service cannot start, after one log line with the reason.
 */
export async function runManagement(options: MainOptions): Promise<number> {
  const stopping = new Promise<void>(onStopSignal);
  const started = await startOrLog(options);
  if (started === undefined) return 1;
  const { running, level } = started;
  const ending = new AbortController();
  const { signal } = ending;
  const following = options.follow?.(running.source, { signal, level }).then(() => 0 as const, logFailure);
  // A gateway that cannot start ends the process. One that ends because of a signal returns 0.
  const code = await Promise.race([stopping.then(() => 0 as const), ...(following ? [following] : [])]);
  ending.abort();
  const last = await following;
  await running.close();
  return last ?? code;
}

/** Logs why something cannot start, independent of the configured log level, which may be what is wrong. */
function logFailure(error: unknown): 1 {
  createLogger("error").error("cannot start", describe(error));
  return 1;
}

interface Started {
  readonly running: RunningService;
  readonly level: LogLevel;
}

async function startOrLog({ settings, path, installation }: MainOptions): Promise<Started | undefined> {
  const environment = createEnvironment(process.env, readMachineText);
  try {
    const { read, level } = environment.collect(() => ({
      read: readServiceSettings(environment, settings, path),
      level: readLogLevel(environment),
    }));
    const whole = { ...installation, compilingThread: workerFile };
    return { running: await startService(read, whole, createLogger(level)), level };
  } catch (error) {
    logFailure(error);
    return undefined;
  }
}

function describe(error: unknown): Readonly<Record<string, unknown>> {
  const problems = startProblems(error) ?? (error instanceof GatewayError ? [error.message] : undefined);
  return problems === undefined ? { error } : { problems };
}
