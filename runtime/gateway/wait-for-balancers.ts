// The time between failing readiness and closing the listeners.

import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "../process/log.ts";

/**
 * Resolves after `delay` milliseconds, at once for 0. Load balancers that ask `/readyz` take a gateway that is not
 * ready out of their lists only after some failed probes, and Kubernetes changes its endpoints while it sends SIGTERM:
 * until then new connections still come, and refusing them would fail requests that another replica could serve.
 */
export async function waitForBalancers(delay: number, log: Logger): Promise<void> {
  if (delay === 0) return;
  log.info("draining", { delay });
  await pause(delay);
}
