// The measured gateway's side of the communication with the parent process.

import type { RunningGateway } from "../runtime/gateway/serve.ts";

/**
 * Sends the port to the parent process, and the CPU time in microseconds whenever the parent requests it. Exits with
 * the parent.
 */
export function reportOnRequest(gateway: RunningGateway): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on("disconnect", () => gateway.close());
  process.send?.(Number(new URL(gateway.addresses.gateway).port));
}
