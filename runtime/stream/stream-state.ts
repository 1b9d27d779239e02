// What operators see of a stream: its status, why it failed, and the last error.

import type { Blockage, SourcePosition } from "../conditions/blockage.ts";
import type { Conditions } from "../conditions/conditions.ts";

import {
  describeFailure,
  type FailureDescription,
  failureSentence,
  startReason,
} from "../failures/description.ts";

/** Returns counters that are all 0. */
export function createCounters(): DeliveryCounters {
  return { received: 0, delivered: 0, failed: 0, inFlight: 0, written: 0, retried: 0, deadLettered: 0 };
}

/** Messages of one stream since the gateway started, by outcome. */
export interface DeliveryCounters {
  received: number;
  /** Confirmed by the output, dropped on purpose, or handed to the dead-letter output. */
  delivered: number;
  /** Refused to the input. A retry counts again. */
  failed: number;
  inFlight: number;
  /** Confirmed by the output. Differs from `delivered` if pipelines split or drop messages. */
  written: number;
  /** Delivered again by the input, or requested again, after they were refused. */
  retried: number;
  /** Written to the dead-letter output. */
  deadLettered: number;
}

/**
 * `starting`: connecting; `running`; `blocked`: held up by an undeliverable message; `waiting`: for a first client, with its
 * input disconnected, or for a lease that another replica holds; `finished`: all messages of the input are delivered;
 * `draining`: finishing messages in delivery; `stopped`; `failed`: could not connect and retries at `nextAttempt`, or has
 * lost a connection, which is being restored.
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
  /** The number of the instance, if the stream has one per set of request values. */
  readonly instance?: number;
  /** The number of the worker, if there are several. */
  readonly worker?: number;
  readonly status: StreamStatus;
  /** Why it failed or is blocked. */
  readonly reason?: string;
  /** The batch that has been undeliverable for longest, if there is one. */
  readonly blocked?: BlockedState;
  /** ISO time of the next attempt to start. */
  readonly nextAttempt?: string;
  readonly messages: Readonly<DeliveryCounters>;
  /** The number of connected clients, if the output has clients. */
  readonly clients?: number;
  /** The number of messages that wait at the source, if the input knows it. */
  readonly lag?: number;
  /** The number of batches in delivery in earlier versions, after a deployment. */
  readonly retiring?: number;
  /** The last error, with its ISO time. It stays when the stream runs again. */
  readonly lastError?: { readonly reason: string; readonly at: string };
}

/** A batch that blocks a stream. */
export interface BlockedState extends FailureDescription {
  /** The position of the batch's first message in the source. */
  readonly source?: SourcePosition;
  /** The number of failed attempts. */
  readonly attempts: number;
  /** ISO time of the first failed attempt. */
  readonly since: string;
  /** The number of batches that cannot be delivered at the moment, including this one. */
  readonly batches: number;
}

/** Whether a stream with this status does its work. */
export function isReady(status: StreamStatus): boolean {
  return status === "running" || status === "blocked" || status === "waiting" || status === "finished";
}

/** Why a stream did not start, and when it tries again. */
export interface StartFailure {
  readonly reason: string;
  /** ISO time. */
  readonly nextAttempt: string;
}

/** The current state of a stream's parts. */
export interface PartsNow {
  readonly messages: Readonly<DeliveryCounters>;
  /** Batches that cannot be delivered; `undefined` while nothing reads. */
  readonly blockages: Pick<Conditions<Blockage>, "oldest" | "size"> | undefined;
  /** Why a connection is lost; `undefined` if none is. */
  readonly lost: string | undefined;
  readonly clients: number | undefined;
  readonly lag: number | undefined;
  /** Why another replica reads instead of this one. */
  readonly standby: string | undefined;
  readonly retiring: number;
}

/** Remembers the status of a stream for operators. It decides nothing. */
export class StatusTracker {
  #status: StreamStatus = "starting";
  #failure: StartFailure | undefined;
  #lastError: StreamState["lastError"];
  #failedStarts = 0;

  /** The number of failed attempts to start since the stream last ran. */
  get failedStarts(): number {
    return this.#failedStarts;
  }

  get status(): StreamStatus {
    return this.#status;
  }

  /** Records the status that the stream has reached. */
  reach(status: Exclude<StreamStatus, "blocked" | "failed">): void {
    this.#status = status;
    if (status !== "starting") this.#failedStarts = 0;
  }

  /** Records that the stream did not start and tries again in `wait` milliseconds. */
  fail(error: unknown, wait: number): StartFailure {
    this.#failure = { reason: startReason(error), nextAttempt: new Date(Date.now() + wait).toISOString() };
    this.noteError(this.#failure.reason);
    this.#status = "failed";
    this.#failedStarts += 1;
    return this.#failure;
  }

  /** Records an error with the current time. */
  noteError(reason: string): void {
    this.#lastError = { reason, at: new Date().toISOString() };
  }

  /** Returns what operators see: a stream that lost a connection is `failed`, one whose input is held up is `blocked`. */
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
