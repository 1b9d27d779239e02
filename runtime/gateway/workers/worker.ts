// How a worker answers the primary.

import cluster from "node:cluster";
import type { RunningGateway } from "../serve.ts";
import type { PrimaryMessage, WorkerMessage } from "./messages.ts";

/** Tells the primary that the gateway listens, answers what it asks, and calls `stop` when it says so or is gone. */
export function answerPrimary(gateway: RunningGateway, stop: () => void): void {
  process.on("message", (message: PrimaryMessage) => {
    if (message.kind === "stop") stop();
    else if (message.kind === "view") {
      const { streams } = gateway;
      const { unready, notes } = gateway.health();
      const view = { unready, notes, states: streams.states(), metrics: gateway.metrics() };
      tell({ kind: "view", id: message.id, view });
    }
  });
  process.on("disconnect", stop);
  // Unless it believes that it asked for that itself, node:cluster ends the process before anything can be finished.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  tell({ kind: "listening", address: gateway.addresses.gateway, routes: gateway.routes });
}

function tell(message: WorkerMessage): void {
  // The channel may have closed meanwhile; the end of the primary is told by itself.
  if (process.connected) process.send?.(message);
}
