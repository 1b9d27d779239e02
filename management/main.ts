// The service as a process: environment, signals, and the last words of one that cannot start.

import type { ManagementSettings } from "../compiler/index.ts";
import { createEnvironment, readMounted } from "../runtime/environment.ts";
import { GatewayError } from "../runtime/errors.ts";
import { createLogger } from "../runtime/log.ts";
import { readLogLevel } from "../runtime/settings.ts";
import { startProblems } from "../runtime/start-problems.ts";
import { type Installation, type RunningService, startService } from "./service.ts";
import { readServiceSettings } from "./settings.ts";

/** What the service is started with. */
export interface MainOptions {
  /** What `management.yaml` says; nothing where there is none. */
  readonly settings: ManagementSettings;
  /** Where it lies, or would. */
  readonly path: string;
  readonly installation: Installation;
}

/**
 * Serves until SIGTERM or SIGINT, then finishes what is in flight; a second signal ends the process at once. Gives the
 * exit code: 0, or 1 when it cannot start, after one log line that says why.
 */
export async function runManagement(options: MainOptions): Promise<number> {
  const stopping = endBySignal();
  const running = await startOrTell(options);
  if (running === undefined) return 1;
  await stopping;
  await running.close();
  return 0;
}

/** Resolves with the first signal to end; the second ends the process. */
function endBySignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = () => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
  });
}

async function startOrTell({
  settings,
  path,
  installation,
}: MainOptions): Promise<RunningService | undefined> {
  const environment = createEnvironment(process.env, readMounted);
  try {
    const { read, log } = environment.collect(() => ({
      read: readServiceSettings(environment, settings, path),
      log: createLogger(readLogLevel(environment)),
    }));
    return await startService(read, installation, log);
  } catch (error) {
    // The level in the environment may be what is wrong, and this line is wanted at every level.
    createLogger("error").error("cannot start", describe(error));
    return undefined;
  }
}

function describe(error: unknown): Readonly<Record<string, unknown>> {
  const problems = startProblems(error) ?? (error instanceof GatewayError ? [error.message] : undefined);
  return problems === undefined ? { error } : { problems };
}
