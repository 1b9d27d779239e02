// Runs gateways that follow deployments. They use the runtime to which the deployed modules are linked.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installedRuntime } from "./artifact.ts";

/** The module of that runtime that is used here. */
type FollowingModule = typeof import("../../runtime/gateway/artifact/main.ts");

/** Serves the deployments at `from` until a signal ends it, then exits. */
export async function followDeployments(from: string, packageRoot: string): Promise<void> {
  const { digest, folder } = await installedRuntime(packageRoot);
  // Gateway and deployment must share one copy: errors and values of another copy would not be recognised.
  const main: FollowingModule = await import(pathToFileURL(join(folder, "gateway/artifact/main.js")).href);
  await main.runFollowing(from, main.runtimeIn(folder, digest));
}

/** A source of deployments within this process. */
export type DeploymentSource = Parameters<FollowingModule["followWithin"]>[0];

/** Options of a gateway within this process. */
export type WithinOptions = Parameters<FollowingModule["followWithin"]>[2];

/** Serves the deployments of `source` in this process until it is stopped. Rejects if the gateway cannot start. */
export async function followWithin(
  source: DeploymentSource,
  packageRoot: string,
  options: WithinOptions,
): Promise<void> {
  const { digest, folder } = await installedRuntime(packageRoot);
  const main: FollowingModule = await import(pathToFileURL(join(folder, "gateway/artifact/main.js")).href);
  await main.followWithin(source, main.runtimeIn(folder, digest), options);
}
