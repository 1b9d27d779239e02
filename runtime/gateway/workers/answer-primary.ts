// In a worker: the messages to the primary.

import { cluster } from "../../process/builtins.ts";
import type { RunningGateway } from "../serve.ts";
import type { PrimaryMessage, WorkerMessage } from "./messages.ts";

/** Reports to the primary that the gateway listens, answers its questions, and calls `stop` if it says so or is gone. */
export function answerPrimary(gateway: RunningGateway, stop: () => void): void {
  process.on("message", (message: PrimaryMessage) => {
    if (message.kind === "stop") stop();
    else if (message.kind === "view") {
      const { streams } = gateway;
      const { unready, notes } = gateway.health();
      const view = { unready, notes, states: streams.states(), metrics: gateway.metrics() };
      sendToPrimary({ kind: "view", id: message.id, view });
    }
  });
  process.on("disconnect", stop);
  // Otherwise node:cluster would end the process immediately when the primary is gone, before anything can finish.
  const { worker } = cluster();
  if (worker) worker.exitedAfterDisconnect = true;
  reportListening(gateway);
}

/** Reports to the primary where the gateway listens and which routes it serves now. */
export function reportListening({ addresses, routes }: RunningGateway): void {
  sendToPrimary({ kind: "listening", address: addresses.gateway, routes });
}

/** Sends a message, unless the primary is gone. */
export function sendToPrimary(message: WorkerMessage): void {
  // The channel may close at any moment; the end of the primary has an event of its own.
  if (process.connected) process.send?.(message);
}
