// Loads the bundle of a compiled gateway as a module, so that this process can start it.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RunningGateway, ServeOptions } from "../../runtime/gateway/serve.ts";
import type { GatewayDefinition } from "../../runtime/gateway.ts";
import type { EnvironmentVariables } from "../../runtime/process/environment.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { StartError } from "./errors.ts";

/** A gateway that serves in this process. */
export interface ServedGateway {
  /** Stops accepting requests, completes those in progress, and disconnects. */
  close(): Promise<void>;
}

/** The destination of a gateway's log. */
export type GatewayLog = NonNullable<ServeOptions["log"]>;

/** The exports of a bundle. */
export interface GatewayModule {
  readonly default: GatewayDefinition;
  serveGateway(definition: GatewayDefinition, options?: ServeOptions): Promise<RunningGateway>;
}

/**
 * Serves the gateway of a build, at 127.0.0.1:8080 unless documents or environment configure another address. Throws a
 * `StartError` for problems that an operator can fix, such as missing variables or an address in use.
 */
export async function startGateway(
  files: ReadonlyMap<string, string>,
  options: Pick<ServeOptions, "log"> = {},
): Promise<ServedGateway> {
  const gateway = await loadGateway(files);
  try {
    return await gateway.serveGateway(gateway.default, { defaultListen: "127.0.0.1:8080", ...options });
  } catch (error) {
    const { startProblems } = await import("../../runtime/process/start-problems.ts");
    const problems = startProblems(error);
    throw problems === undefined ? error : new StartError(problems, { cause: error });
  }
}

/**
 * Loads the `gateway.mjs` among the files of a build. Loading opens no connections. Node never unloads
 * modules, so use this for development and tests, not in a process that deploys repeatedly.
 */
export async function loadGateway(files: ReadonlyMap<string, string>): Promise<GatewayModule> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-"));
  try {
    for (const [name, text] of files) await writeFile(join(folder, name), text);
    return await import(pathToFileURL(join(folder, "gateway.mjs")).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a gateway finds in its environment when it starts. */
export interface ExaminedEnvironment {
  /** A sentence for each missing or invalid variable or secret; none if the gateway could start. */
  readonly problems: readonly string[];
  /** The variables that the gateway reads. */
  readonly names: ReadonlySet<string>;
}

/** Reads `variables` as `definition` does when it starts, and opens nothing. */
export function examineEnvironment(
  definition: GatewayDefinition,
  variables: EnvironmentVariables,
): ExaminedEnvironment {
  const names = new Set<string>();
  const recording = new Proxy(variables, {
    getOwnPropertyDescriptor(target, name) {
      names.add(String(name));
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
  const { createEnvironment } = loadRuntime("runtime/process/environment.ts");
  const { readMachineText } = loadRuntime("runtime/process/machine-files.ts");
  try {
    loadRuntime("runtime/gateway/serve.ts").readGateway(
      definition,
      createEnvironment(recording, readMachineText),
      {},
    );
    return { problems: [], names };
  } catch (error) {
    const problems = loadRuntime("runtime/process/start-problems.ts").startProblems(error);
    if (problems === undefined) throw error;
    return { problems, names };
  }
}
