// One line for each message that fails, as long as they are not too many.

import type { Blockage } from "../conditions/blockage.ts";
import type { GatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import { describeFailure, failureSentence } from "./description.ts";
import { networkFault } from "./unreachable.ts";

/** Lines at once, and the milliseconds after which there may be one more. */
const burst = 20;
const refill = 3_000;

/** The failures of one stream. What is not logged is counted, and the number goes along with the next line. */
export class FailureLog {
  readonly #log: Logger;
  readonly #onBlocked: (reason: string) => void;
  readonly #now: () => number;
  #lines = burst;
  #filledAt: number;
  #suppressed = 0;

  /** `onBlocked` is called with the reason of each batch that is to be delivered all the same. */
  constructor(log: Logger, onBlocked: (reason: string) => void, now = () => performance.now()) {
    this.#log = log;
    this.#onBlocked = onBlocked;
    this.#now = now;
    this.#filledAt = now();
  }

  /**
   * Logs that a batch was not delivered; to be called once for each, whatever the number of its attempts. Nothing is said of what
   * goes back for want of a client: the stream's state says that it waits for one.
   */
  refused({ batch, failure, attempts, source }: Blockage, willRepeat: boolean): void {
    if (failure.isReturn && !willRepeat) return;
    const description = describeFailure(failure);
    if (willRepeat) this.#onBlocked(failureSentence(description));
    if (!this.#mayLog()) {
      this.#suppressed += 1;
      return;
    }
    this.#log.warn("batch not delivered", {
      ...description,
      status: failure.status,
      ...(source !== undefined && { source }),
      messages: batch.length,
      attempts,
      willRepeat,
      ...(this.#suppressed > 0 && { suppressed: this.#suppressed }),
      ...(needsStack(failure) && { error: failure.cause }),
    });
    this.#suppressed = 0;
  }

  #mayLog(): boolean {
    const now = this.#now();
    const filled = Math.floor((now - this.#filledAt) / refill);
    this.#lines = Math.min(burst, this.#lines + filled);
    this.#filledAt += filled * refill;
    if (this.#lines === 0) return false;
    this.#lines -= 1;
    return true;
  }
}

/** What the network says needs no stack to be understood, and a 422 is about the message. */
function needsStack({ cause, status }: GatewayError): boolean {
  return cause !== undefined && status >= 500 && networkFault(cause) === undefined;
}
