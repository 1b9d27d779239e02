// Runs `sluice gateway`: serves a deployment and switches to new deployments while it runs.

import { followDeployments } from "../../embed/follow-deployments.ts";
import { packageRoot } from "../package-root.ts";

/** Options of `sluice gateway`. */
export interface GatewayOptions {
  /** The address of a management service, or a folder. */
  readonly from: string;
}

/** Serves until a signal ends it; the gateway sets the exit code. */
export async function runGateway({ from }: GatewayOptions): Promise<void> {
  await followDeployments(from, packageRoot());
}
