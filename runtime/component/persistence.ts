// Repeats writes until the output confirms them.

import { type BackoffOptions, createBackoff, pause } from "../concurrency/backoff.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import { warnOfMessages } from "../failures/failure-log.ts";
import type { Batch } from "../message/message.ts";
import type { LogFields, Logger } from "../process/log.ts";
import type { Delivered, Output } from "./component.ts";
import { writeThroughGate } from "./gate.ts";

/** How often and how long writes are repeated. */
export interface Persistence {
  readonly log: Logger;
  /** Aborted when the stream ends; no further attempt is made. */
  readonly signal: AbortSignal;
  /** The log message for a failed attempt. */
  readonly complaint: string;
  /** Further fields of that message. */
  readonly fields?: LogFields;
  readonly pauses?: BackoffOptions;
  /** Attempts after the first one; no limit if absent. */
  readonly maxRetries?: number;
  /** Milliseconds after which no further attempt is made; no limit if absent. */
  readonly maxElapsed?: number;
}

const usualPauses: BackoffOptions = { first: 200, longest: 10_000 };

/**
 * Writes until the output confirms. Rejects with a failure that no repetition can change, with the last failure when
 * the attempts are used up, and when the stream ends.
 */
export async function writePersistently(
  output: Output,
  batch: Batch,
  persistence: Persistence,
): Promise<Delivered> {
  const { signal, complaint, fields, pauses = usualPauses } = persistence;
  const { maxRetries = Number.POSITIVE_INFINITY, maxElapsed = Number.POSITIVE_INFINITY } = persistence;
  const backoff = createBackoff(pauses);
  const began = performance.now();
  for (let retries = 0; ; retries += 1) {
    try {
      return await writeThroughGate(output, batch);
    } catch (error) {
      const failure = toGatewayError(error, 500, "Internal error");
      const wait = backoff.next();
      const isOver = retries >= maxRetries || performance.now() - began + wait > maxElapsed;
      if (!failure.retryable || isOver || signal.aborted) throw failure;
      warnOfMessages(persistence, complaint, batch.length, { ...fields, ...describeFailure(failure) });
      await pause(wait, signal);
      if (signal.aborted) throw failure;
    }
  }
}

/** Returns the error of a component that is used before it was started. */
export function notConnected(): GatewayError {
  return new GatewayError(503, "The outputs are not connected");
}
