// Runs gateways that follow deployments. They use the runtime to which the deployed modules are linked.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installedRuntime } from "./artifact.ts";

/** The module of that runtime that is used here. */
const following = "runtime/gateway/artifact/main.ts";
type Following = typeof import("../../runtime/gateway/artifact/main.ts");

/** Loads it. Gateway and deployment must share one copy: errors and values of another copy would not be recognised. */
async function loadFollowing(packageRoot: string) {
  const { digest, folder } = await installedRuntime(packageRoot);
  const file = join(folder, "..", following.replace(/\.ts$/, ".js"));
  const main: Following = await import(pathToFileURL(file).href);
  return { main, runtime: main.runtimeIn(folder, digest) };
}

/** Serves the deployments at `from` until a signal ends it, then exits. */
export async function followDeployments(from: string, packageRoot: string): Promise<void> {
  const { main, runtime } = await loadFollowing(packageRoot);
  await main.runFollowing(from, runtime);
}

/** A source of deployments within this process. */
export type DeploymentSource = Parameters<Following["followWithin"]>[0];

/** Options of a gateway within this process. */
export type WithinOptions = Parameters<Following["followWithin"]>[2];

/** Serves the deployments of `source` in this process until it is stopped. Rejects if the gateway cannot start. */
export async function followWithin(
  source: DeploymentSource,
  packageRoot: string,
  options: WithinOptions,
): Promise<void> {
  const { main, runtime } = await loadFollowing(packageRoot);
  await main.followWithin(source, runtime, options);
}
