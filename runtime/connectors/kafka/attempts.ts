import { createBackoff, pause } from "../../concurrency/backoff.ts";
import type { BeginOutage } from "../../conditions/conditions.ts";
import { GatewayError } from "../../errors.ts";
import type { Logger } from "../../process/log.ts";
import { isPermanent, kafkaFailure, kafkaUnreachable } from "./client.ts";

/** How long and how often something is retried. */
export interface AttemptSettings {
  /** Number of attempts after the first one; 0: unlimited. */
  readonly maxRetries: number;
  readonly firstPause: number;
  readonly longestPause: number;
  /** Milliseconds after which no further attempt begins; 0: unlimited. */
  readonly maxElapsed: number;
  /** Ends the pauses when aborted; one more attempt is made. */
  readonly closing: AbortSignal;
  /** Called for each operation that is retried; the outage lasts until the operation succeeds or is given up. */
  readonly beginOutage?: BeginOutage | undefined;
  readonly log: Logger;
  /** The topic, if the document names it. */
  readonly topic?: unknown;
}

/** A failed attempt that the caller has already made. */
export interface FirstAttempt {
  readonly failure: unknown;
  /** Whether the attempt included other records, one of which may be the cause. */
  readonly wasShared: boolean;
}

/** Retries the operations of one output. */
export class Attempts {
  readonly #settings: AttemptSettings;
  /** The number of operations that are being retried. */
  #repeated = 0;

  constructor(settings: AttemptSettings) {
    this.#settings = settings;
  }

  /**
   * Calls `work` until it succeeds, and returns its result. Rejects with a `GatewayError` if it can never succeed, or
   * when the attempts are used up.
   */
  async make<T>(work: () => Promise<T>, first?: FirstAttempt): Promise<T> {
    let failed = first;
    if (failed === undefined) {
      try {
        return await work();
      } catch (failure) {
        failed = { failure, wasShared: false };
      }
    }
    if (isHopeless(failed)) throw gaveUp(failed.failure);
    const { beginOutage, log, topic } = this.#settings;
    const topics = typeof topic === "string" ? [topic] : [];
    const reason = kafkaUnreachable(failed.failure, "Kafka does not acknowledge", topics).answer;
    const end = beginOutage?.(reason);
    if (this.#repeated === 0) log.warn("Kafka does not acknowledge, retrying", { reason });
    this.#repeated += 1;
    try {
      const result = await this.#repeat(work, failed);
      if (this.#repeated === 1) log.info("Kafka confirms again");
      return result;
    } finally {
      this.#repeated -= 1;
      end?.();
    }
  }

  async #repeat<T>(work: () => Promise<T>, first: FirstAttempt): Promise<T> {
    const { maxRetries, firstPause, longestPause, maxElapsed, closing } = this.#settings;
    const backoff = createBackoff({ first: firstPause, longest: longestPause });
    const giveUpAt = maxElapsed === 0 ? Number.POSITIVE_INFINITY : performance.now() + maxElapsed;
    let last = first;
    for (let retries = 0; ; retries += 1) {
      // Without the records that shared the request, it may succeed immediately.
      const wait = last.wasShared ? 0 : backoff.next();
      const isExhausted = (maxRetries > 0 && retries === maxRetries) || performance.now() + wait > giveUpAt;
      if (isHopeless(last) || isExhausted || (closing.aborted && retries > 0)) throw gaveUp(last.failure);
      await pause(wait, closing);
      try {
        return await work();
      } catch (failure) {
        last = { failure, wasShared: false };
      }
    }
  }
}

/** Returns whether an operation that failed on its own can never succeed. */
function isHopeless({ failure, wasShared }: FirstAttempt): boolean {
  return !wasShared && isPermanent(failure);
}

function gaveUp(failure: unknown): GatewayError {
  return failure instanceof GatewayError
    ? failure
    : kafkaFailure(failure, "Kafka did not acknowledge the message");
}
