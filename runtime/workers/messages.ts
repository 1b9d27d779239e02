// What a worker and the primary tell each other.

import type { RouteRow } from "../route-table.ts";
import type { StreamState } from "../stream-state.ts";

/** From a worker. */
export type WorkerMessage =
  | { readonly kind: "listening"; readonly address: string; readonly routes: readonly RouteRow[] }
  | { readonly kind: "view"; readonly id: number; readonly view: WorkerView };

/** To a worker. */
export type PrimaryMessage = { readonly kind: "view"; readonly id: number } | { readonly kind: "stop" };

/** What operators see of one worker. */
export interface WorkerView {
  readonly unready: readonly string[];
  readonly states: readonly StreamState[];
  readonly metrics: string;
}
