// What operators see of a stream.

import type { SourcePosition } from "../conditions/blockage.ts";
import type { FailureDescription } from "../failures/description.ts";
import type { DeliveryCounters } from "./delivery.ts";

/**
 * `starting`: connecting; `running`; `blocked`: held up by an undeliverable message; `waiting`: for a first
 * client, its input disconnected; `finished`: its input has given all it had, and all of that is delivered;
 * `draining`: finishing what is in flight; `stopped`; `failed`: could not connect, trying again at
 * `nextAttempt`, or has lost a connection, which is being repaired.
 */
export type StreamStatus =
  | "starting"
  | "running"
  | "blocked"
  | "waiting"
  | "finished"
  | "draining"
  | "stopped"
  | "failed";

/** One row of `/streams` on the admin listener. */
export interface StreamState {
  readonly api: string;
  readonly stream: string;
  /** Number of the instance, of a stream that has one for each set of values from requests. */
  readonly instance?: number;
  /** Number of the worker it runs in, where there are several. */
  readonly worker?: number;
  readonly status: StreamStatus;
  /** Why it failed, or is blocked. */
  readonly reason?: string;
  /** The batch that has been undeliverable for longest, while any is. */
  readonly blocked?: BlockedState;
  /** ISO time of the next attempt to start it. */
  readonly nextAttempt?: string;
  readonly messages: Readonly<DeliveryCounters>;
  /** Connected clients, where the output has clients. */
  readonly clients?: number;
  /** Messages that wait at the source, where the input knows. */
  readonly lag?: number;
  /** Batches of earlier versions that are still on their way, after a deployment. */
  readonly retiring?: number;
  /** Why it failed last, with the ISO time; also once it runs again. */
  readonly lastError?: { readonly reason: string; readonly at: string };
}

/** What holds up a stream. */
export interface BlockedState extends FailureDescription {
  /** Where the first message of the batch stands in the source. */
  readonly source?: SourcePosition;
  /** Attempts that failed. */
  readonly attempts: number;
  /** ISO time of the first of them. */
  readonly since: string;
  /** Batches that cannot be delivered now, this one among them. */
  readonly batches: number;
}

/** Whether a stream in this state does what it is there for. */
export function isReady(status: StreamStatus): boolean {
  return status === "running" || status === "blocked" || status === "waiting" || status === "finished";
}
