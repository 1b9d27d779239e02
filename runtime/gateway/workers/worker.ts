// How a worker answers the primary.

import cluster from "node:cluster";
import type { CountAnswer, CountRequest } from "../../counters.ts";
import type { StreamState } from "../../stream/stream-state.ts";
import type { RouteRow } from "../admin/route-row.ts";
import type { RunningGateway } from "../serve.ts";

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

/** From a worker. */
export type WorkerMessage =
  | { readonly kind: "listening"; readonly address: string; readonly routes: readonly RouteRow[] }
  | { readonly kind: "view"; readonly id: number; readonly view: WorkerView }
  | { readonly kind: "count"; readonly id: number; readonly requests: readonly CountRequest[] };

/** To a worker. */
export type PrimaryMessage =
  | { readonly kind: "view"; readonly id: number }
  | { readonly kind: "counted"; readonly id: number; readonly answers: readonly CountAnswer[] }
  | { readonly kind: "stop" };

/** What operators see of one worker. */
export interface WorkerView {
  readonly unready: readonly string[];
  readonly notes: readonly string[];
  readonly states: readonly StreamState[];
  readonly metrics: string;
}
