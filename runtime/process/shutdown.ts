// Stops a serving process on a signal, but not before load balancers have noticed.

import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "./log.ts";

/**
 * Calls `stop` once, on SIGTERM, SIGINT or SIGHUP. A second SIGTERM or SIGINT ends the process immediately. A closed
 * terminal sends SIGHUP, often twice; that never shortens the shutdown. If another listener reloads certificates on
 * SIGHUP, the signal does only that.
 */
export function onStopSignal(stop: () => void): void {
  let isStopping = false;
  const receive = (signal: NodeJS.Signals) => {
    const isHangUp = signal === "SIGHUP";
    if (isHangUp && (isStopping || process.listenerCount(signal) > 1)) return;
    if (isStopping) process.exit(1);
    isStopping = true;
    stop();
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, receive);
}

/**
 * Resolves after `delay` milliseconds; immediately for 0. A load balancer that checks `/readyz` removes a gateway
 * that is not ready only after several failed checks, and Kubernetes updates its endpoints while it sends SIGTERM.
 * Until then new connections arrive, and refusing them would fail requests that another replica could serve.
 */
export async function waitForBalancers(delay: number, log: Logger): Promise<void> {
  if (delay === 0) return;
  log.info("draining", { delay });
  await pause(delay);
}
