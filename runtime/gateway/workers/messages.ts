// The messages between the primary and its workers.

import type { CountAnswer, CountRequest } from "../../counters.ts";
import type { StreamState } from "../../stream/stream-state.ts";
import type { RouteRow } from "../admin/route-row.ts";

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
