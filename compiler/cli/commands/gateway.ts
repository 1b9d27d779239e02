// `sluice gateway`: serves what is deployed, and takes new deployments while it serves.

import { followDeployments } from "../../embed/follow-deployments.ts";
import { packageRoot } from "../package-root.ts";

/** What `sluice gateway` was told. */
export interface GatewayOptions {
  /** The address of a management service, or a folder. */
  readonly from: string;
}

/** Serves until a signal ends it; the gateway sets the exit code. */
export async function runGateway({ from }: GatewayOptions): Promise<void> {
  await followDeployments(from, packageRoot());
}
