// The service as a process: environment, signals, and the last words of one that cannot start.

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

/** What a gateway in this process is given. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly level: LogLevel;
}

/** What the service is started with. */
export interface MainOptions {
  /** What `management.yaml` says; nothing where there is none. */
  readonly settings: ManagementSettings;
  /** Where it lies, or would. */
  readonly path: string;
  readonly installation: Omit<Installation, "compilingThread">;
  /** Serves what is deployed in this process, too, until it is stopped. */
  readonly follow?: (source: ArtifactSource, options: FollowOptions) => Promise<void>;
}

/**
 * Serves until a signal ends it, then finishes what is in flight; a second signal ends the process at once. Gives the
 * exit code: 0, or 1 when it cannot start, after one log line that says why.
 */
export async function runManagement(options: MainOptions): Promise<number> {
  const stopping = new Promise<void>(onStopSignal);
  const started = await startOrTell(options);
  if (started === undefined) return 1;
  const { running, level } = started;
  const ending = new AbortController();
  const { signal } = ending;
  const following = options.follow?.(running.source, { signal, level }).then(() => 0 as const, tell);
  // A gateway that cannot start ends the process; one that was told to has ended well.
  const code = await Promise.race([stopping.then(() => 0 as const), ...(following ? [following] : [])]);
  ending.abort();
  const last = await following;
  await running.close();
  return last ?? code;
}

/** Says why something cannot start. The level in the environment may be what is wrong, so this is said at every level. */
function tell(error: unknown): 1 {
  createLogger("error").error("cannot start", describe(error));
  return 1;
}

interface Started {
  readonly running: RunningService;
  readonly level: LogLevel;
}

async function startOrTell({ settings, path, installation }: MainOptions): Promise<Started | undefined> {
  const environment = createEnvironment(process.env, readMachineText);
  try {
    const { read, level } = environment.collect(() => ({
      read: readServiceSettings(environment, settings, path),
      level: readLogLevel(environment),
    }));
    const whole = { ...installation, compilingThread: workerFile };
    return { running: await startService(read, whole, createLogger(level)), level };
  } catch (error) {
    tell(error);
    return undefined;
  }
}

function describe(error: unknown): Readonly<Record<string, unknown>> {
  const problems = startProblems(error) ?? (error instanceof GatewayError ? [error.message] : undefined);
  return problems === undefined ? { error } : { problems };
}
