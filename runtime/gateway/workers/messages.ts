// The messages between the primary and its workers.

import type { CountAnswer, CountRequest } from "../../counters.ts";
import type { StreamState } from "../../stream/stream-state.ts";
import type { RouteRow } from "../admin/route-row.ts";
import type { ApiOutcome } from "../live/deployed-api.ts";
import type { TailedStream, TailRequest } from "../tail/sample.ts";

/** Messages of a worker. */
export type WorkerMessage =
  | { readonly kind: "listening"; readonly address: string; readonly routes: readonly RouteRow[] }
  | { readonly kind: "view"; readonly id: number; readonly view: WorkerView }
  | DeployedMessage
  | { readonly kind: "count"; readonly id: number; readonly requests: readonly CountRequest[] };

/** Messages to a worker. */
export type PrimaryMessage =
  | { readonly kind: "view"; readonly id: number }
  | DeployMessage
  | { readonly kind: "counted"; readonly id: number; readonly answers: readonly CountAnswer[] }
  | { readonly kind: "stop" };

/** Messages of a worker that follows deployments: it waits for a deployment, the outcomes of one, and its samples. */
export type DeployedMessage =
  | { readonly kind: "waiting" }
  | { readonly kind: "deployed"; readonly id: number; readonly outcomes: readonly ApiOutcome[] }
  | { readonly kind: "seen"; readonly streams: readonly TailedStream[] };

/** Messages to a worker that follows deployments: serve the deployment in a folder, and which streams to sample. */
export type DeployMessage =
  | { readonly kind: "deploy"; readonly id: number; readonly folder: string }
  | { readonly kind: "tail"; readonly request: TailRequest | undefined };

/** One worker as operators see it. */
export interface WorkerView {
  readonly unready: readonly string[];
  readonly notes: readonly string[];
  readonly states: readonly StreamState[];
  readonly metrics: string;
}
