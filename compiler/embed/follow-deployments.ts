// Gateways that follow deployments. They run on the runtime that modules are linked to, which is loaded here.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installedRuntime } from "./artifact.ts";

/** What of that runtime is called. */
type FollowingModule = typeof import("../../runtime/artifact/main.ts");

/** Serves what is deployed at `from` until a signal ends it, and exits. */
export async function followDeployments(from: string, packageRoot: string): Promise<void> {
  const { digest, folder } = await installedRuntime(packageRoot);
  // One copy of it serves and is linked to: errors and values of another would not be known to be such.
  const main: FollowingModule = await import(pathToFileURL(join(folder, "artifact/main.js")).href);
  await main.runFollowing(from, main.runtimeIn(folder, digest));
}
