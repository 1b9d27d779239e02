import { createBackoff, pause } from "../../backoff.ts";
import { GatewayError } from "../../errors.ts";
import { isPermanent, kafkaFailure } from "./client.ts";

/** How long and how often something is tried. */
export interface AttemptSettings {
  /** After the first one; 0: without end. */
  readonly maxRetries: number;
  readonly firstPause: number;
  readonly longestPause: number;
  /** Milliseconds after which no further attempt begins; 0: never. */
  readonly maxElapsed: number;
  /** Ends the pauses: one more attempt is made. */
  readonly closing: AbortSignal;
  /** Called when something fails that may pass, and when things go through again. */
  onFailing(failing: boolean): void;
}

/** A failed attempt, made before. */
export interface FirstAttempt {
  readonly failure: unknown;
  /** Whether it was for other things as well, one of which may be the reason. */
  readonly wasShared: boolean;
}

/** Attempts of one output. */
export class Attempts {
  readonly #settings: AttemptSettings;
  /** What is being repeated. */
  #repeated = 0;
  #isFailing = false;

  constructor(settings: AttemptSettings) {
    this.#settings = settings;
  }

  /**
   * Does `work` until it succeeds, and gives what it gives. Rejects with a `GatewayError` when it never can, or
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
    this.#repeated += 1;
    this.#tell(true);
    try {
      return await this.#repeat(work, failed);
    } finally {
      this.#repeated -= 1;
    }
  }

  /** Notes that something went through. */
  succeeded(): void {
    if (this.#repeated === 0) this.#tell(false);
  }

  async #repeat<T>(work: () => Promise<T>, first: FirstAttempt): Promise<T> {
    const { maxRetries, firstPause, longestPause, maxElapsed, closing } = this.#settings;
    const backoff = createBackoff({ first: firstPause, longest: longestPause });
    const giveUpAt = maxElapsed === 0 ? Number.POSITIVE_INFINITY : Date.now() + maxElapsed;
    let last = first;
    for (let retries = 0; ; retries += 1) {
      // Without what it shared the request with, it may go through at once.
      const wait = last.wasShared ? 0 : backoff.next();
      const isExhausted = (maxRetries > 0 && retries === maxRetries) || Date.now() + wait > giveUpAt;
      if (isHopeless(last) || isExhausted || (closing.aborted && retries > 0)) throw gaveUp(last.failure);
      await pause(wait, closing);
      try {
        const result = await work();
        if (this.#repeated === 1) this.#tell(false);
        return result;
      } catch (failure) {
        last = { failure, wasShared: false };
      }
    }
  }

  #tell(isFailing: boolean): void {
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#settings.onFailing(isFailing);
  }
}

/** What was asked for alone can never succeed. */
function isHopeless({ failure, wasShared }: FirstAttempt): boolean {
  return !wasShared && isPermanent(failure);
}

function gaveUp(failure: unknown): GatewayError {
  return failure instanceof GatewayError
    ? failure
    : kafkaFailure(failure, "Kafka did not confirm the message");
}
