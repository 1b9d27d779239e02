// How a process that serves ends: by a signal, and not before load balancers have noticed.

import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "./log.ts";

/**
 * Calls `stop` once, at SIGTERM, SIGINT or SIGHUP. A second SIGTERM or SIGINT ends the process at once. A closed terminal
 * sends SIGHUP, often twice, and that never cuts the drain short. Where certificates are read again at SIGHUP, it does
 * only that.
 */
export function onStopSignal(stop: () => void): void {
  let asked = false;
  const ask = (signal: NodeJS.Signals) => {
    const isHangUp = signal === "SIGHUP";
    if (isHangUp && (asked || process.listenerCount(signal) > 1)) return;
    if (asked) process.exit(1);
    asked = true;
    stop();
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, ask);
}

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
