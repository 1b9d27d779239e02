// Starts the primary of several workers from the environment.

import { GatewayScope } from "../../component/gateway-scope.ts";
import type { GatewayDefinition } from "../../gateway.ts";
import { createEnvironment } from "../../process/environment.ts";
import { beginWork } from "../../process/first-work.ts";
import { createLogger } from "../../process/log.ts";
import { readMachineText } from "../../process/machine-files.ts";
import type { ServeOptions } from "../serve.ts";
import { readLogLevel, readSettings } from "../settings.ts";
import { type DeployingWorkers, Primary } from "./primary.ts";

/**
 * Starts as many workers as the environment asks for; resolves when all of them listen. Rejects with an
 * `EnvironmentError`, the error of the admin listener, or a `WorkerFailure`; then no worker is left.
 */
export async function startPrimary(
  definition: GatewayDefinition,
  options: ServeOptions,
  deploying?: DeployingWorkers,
): Promise<Pick<Primary, "states" | "close">> {
  // No client connects to the primary itself, and no input delivers there.
  beginWork();
  const environment = createEnvironment(
    options.environment ?? process.env,
    options.readFile ?? readMachineText,
  );
  const { settings, log, source } = environment.collect(() => ({
    settings: readSettings(environment, definition, options.defaultListen),
    log: options.log ?? createLogger(readLogLevel(environment)),
    source: definition.counters?.(environment),
  }));
  const closing = new AbortController();
  const counters = source?.openPrimary({ log, gateway: new GatewayScope(), signal: closing.signal });
  const primary = new Primary({ ...settings, log, counters, deploying });
  try {
    await primary.start();
  } catch (error) {
    await primary.close();
    throw error;
  }
  // The workers read their certificates again.
  if (definition.tls !== undefined) process.on("SIGHUP", () => primary.signal("SIGHUP"));
  return primary;
}
