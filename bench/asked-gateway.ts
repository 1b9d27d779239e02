// The side of a gateway that is measured in a process of its own.

import type { RunningGateway } from "../runtime/gateway/serve.ts";

/** Tells the parent process its port now, and its CPU time in microseconds whenever it is asked; ends with the parent. */
export function tellAsked(gateway: RunningGateway): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on("disconnect", () => gateway.close());
  process.send?.(Number(new URL(gateway.addresses.gateway).port));
}
