// What operators see of a stream: where it stands, why it failed, and what failed last.

import type { Blockage, SourcePosition } from "../conditions/blockage.ts";
import type { Conditions } from "../conditions/conditions.ts";

import {
  describeFailure,
  type FailureDescription,
  failureSentence,
  startReason,
} from "../failures/description.ts";

/** Counters that start at nothing. */
export function createCounters(): DeliveryCounters {
  return { received: 0, delivered: 0, failed: 0, inFlight: 0, written: 0, retried: 0, deadLettered: 0 };
}

/** Messages by what became of them; of one stream since the gateway started. */
export interface DeliveryCounters {
  received: number;
  /** Confirmed by the output, dropped on purpose, or handed to the dead-letter output. */
  delivered: number;
  /** Refused to the input. A retry counts again. */
  failed: number;
  inFlight: number;
  /** Confirmed by the output: what pipelines split or drop makes these more or fewer than those delivered. */
  written: number;
  /** Handed over again by the input, or asked for again by it, after they were refused. */
  retried: number;
  /** Handed to the dead-letter output. */
  deadLettered: number;
}

/**
 * `starting`: connecting; `running`; `blocked`: held up by an undeliverable message; `waiting`: for a first
 * client, its input disconnected, or for the lease that another replica holds; `finished`: its input has given all it had, and all of that is delivered;
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

/** Why a stream does not start, and when it tries again. */
export interface StartFailure {
  readonly reason: string;
  /** ISO time. */
  readonly nextAttempt: string;
}

/** What its parts say of themselves at a moment. */
export interface PartsNow {
  readonly messages: Readonly<DeliveryCounters>;
  /** Batches that cannot be delivered; `undefined` while nothing reads. */
  readonly blockages: Pick<Conditions<Blockage>, "oldest" | "size"> | undefined;
  /** Why a connection is lost; `undefined` while all are there. */
  readonly lost: string | undefined;
  readonly clients: number | undefined;
  readonly lag: number | undefined;
  /** Why another replica reads in place of this one. */
  readonly standby: string | undefined;
  readonly retiring: number;
}

/** What is remembered of a stream's course; it decides nothing. */
export class StatusTracker {
  #status: StreamStatus = "starting";
  #failure: StartFailure | undefined;
  #lastError: StreamState["lastError"];
  #failedStarts = 0;

  /** Attempts to start that failed, since it was last there. */
  get failedStarts(): number {
    return this.#failedStarts;
  }

  get status(): StreamStatus {
    return this.#status;
  }

  /** It stands there now. */
  reach(status: Exclude<StreamStatus, "blocked" | "failed">): void {
    this.#status = status;
    if (status !== "starting") this.#failedStarts = 0;
  }

  /** It did not start, and tries again in `wait` milliseconds. */
  fail(error: unknown, wait: number): StartFailure {
    this.#failure = { reason: startReason(error), nextAttempt: new Date(Date.now() + wait).toISOString() };
    this.noteError(this.#failure.reason);
    this.#status = "failed";
    this.#failedStarts += 1;
    return this.#failure;
  }

  /** Something failed, now. */
  noteError(reason: string): void {
    this.#lastError = { reason, at: new Date().toISOString() };
  }

  /** What operators see: a stream that lost a connection has failed, one whose input is held up is blocked. */
  state(
    { api, stream }: Pick<StreamState, "api" | "stream">,
    { messages, blockages, lost, clients, lag, standby, retiring }: PartsNow,
  ): StreamState {
    const status = this.#status;
    const reason = status === "running" || status === "waiting" ? lost : undefined;
    const blocked = status === "running" ? blockedState(blockages) : undefined;
    const isStandby = status === "running" && standby !== undefined && blocked === undefined;
    return {
      api,
      stream,
      status:
        reason !== undefined ? "failed" : blocked !== undefined ? "blocked" : isStandby ? "waiting" : status,
      ...(reason !== undefined ? { reason } : status === "failed" && this.#failure),
      ...(isStandby && reason === undefined && { reason: standby }),
      ...(blocked !== undefined && { reason: reason ?? failureSentence(blocked), blocked }),
      messages: { ...messages },
      ...(clients !== undefined && { clients }),
      ...(lag !== undefined && { lag }),
      ...(retiring > 0 && { retiring }),
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    };
  }
}

function blockedState(blockages: PartsNow["blockages"]): BlockedState | undefined {
  const oldest = blockages?.oldest;
  if (blockages === undefined || oldest === undefined) return undefined;
  const { failure, source, attempts, since } = oldest;
  return {
    ...describeFailure(failure),
    ...(source !== undefined && { source }),
    attempts,
    since: new Date(since).toISOString(),
    batches: blockages.size,
  };
}
