// A compiled gateway as something this process can start: the linked bundle, loaded as a module.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RunningGateway, ServeOptions } from "../../runtime/gateway/serve.ts";
import type { GatewayDefinition } from "../../runtime/gateway.ts";
import { StartError } from "./errors.ts";

/** A gateway that serves in this process. */
export interface ServedGateway {
  /** Stops accepting, finishes what is in flight, disconnects. */
  close(): Promise<void>;
}

/** What a gateway writes its log to. */
export type GatewayLog = NonNullable<ServeOptions["log"]>;

/** What a bundle exports. */
export interface GatewayModule {
  readonly default: GatewayDefinition;
  serveGateway(definition: GatewayDefinition, options?: ServeOptions): Promise<RunningGateway>;
}

/**
 * Serves the gateway of a build, at 127.0.0.1:8080 unless documents or environment say otherwise. Throws a
 * `StartError` for what an operator can put right: variables that are missing, an address in use.
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
 * Loads the `gateway.mjs` among the files of a build. Nothing is opened by that. Node keeps loaded modules
 * for good, so this is for development and tests, not for a process that deploys again and again.
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
