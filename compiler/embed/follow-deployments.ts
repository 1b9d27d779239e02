// Gateways that follow deployments. They run on the runtime that modules are linked to, which is loaded here.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installedRuntime } from "./artifact.ts";

/** What of that runtime is called. */
type FollowingModule = typeof import("../../runtime/gateway/artifact/main.ts");

/** Serves what is deployed at `from` until a signal ends it, and exits. */
export async function followDeployments(from: string, packageRoot: string): Promise<void> {
  const { digest, folder } = await installedRuntime(packageRoot);
  // One copy of it serves and is linked to: errors and values of another would not be known to be such.
  const main: FollowingModule = await import(pathToFileURL(join(folder, "gateway/artifact/main.js")).href);
  await main.runFollowing(from, main.runtimeIn(folder, digest));
}

/** A place of deployments within this process. */
export type DeploymentSource = Parameters<FollowingModule["followWithin"]>[0];

/** What a gateway within this process is given. */
export type WithinOptions = Parameters<FollowingModule["followWithin"]>[2];

/** Serves what `source` has in this process until it is stopped. Rejects where the gateway cannot start. */
export async function followWithin(
  source: DeploymentSource,
  packageRoot: string,
  options: WithinOptions,
): Promise<void> {
  const { digest, folder } = await installedRuntime(packageRoot);
  const main: FollowingModule = await import(pathToFileURL(join(folder, "gateway/artifact/main.js")).href);
  await main.followWithin(source, main.runtimeIn(folder, digest), options);
}
