// Hands batches to the pipeline until they are confirmed, for inputs whose source does not send again by itself.

import { createBackoff, pause } from "./backoff.ts";
import type { Delivered, InputContext } from "./component.ts";
import { toGatewayError } from "./errors.ts";
import type { Batch } from "./message.ts";

const pauses = { first: 200, longest: 30_000 };

/** Deliveries of one input that are repeated until they succeed. */
export interface Redelivery {
  /**
   * Delivers `batch`, again and again with growing pauses while that fails, until the stream's
   * `max_attempts` are used up and somebody has taken it. Gives `undefined` when `abandon` was aborted
   * before that; one attempt is always made and waited for.
   */
  deliver(batch: Batch, abandon: AbortSignal): Promise<Delivered | undefined>;
}

/**
 * Deliveries into `context`. The input counts as blocked from the first failure until nothing that failed
 * waits any more; the log tells both moments (why each attempt failed is logged by the delivery itself).
 */
export function createRedelivery(context: InputContext): Redelivery {
  let failing = 0;

  function failed(): void {
    failing += 1;
    if (failing > 1) return;
    context.reportBlocked(true);
    context.log.warn("delivery failed, trying again until it succeeds");
  }

  function settled(): void {
    failing -= 1;
    if (failing > 0) return;
    context.reportBlocked(false);
    context.log.info("no failed delivery waits any more");
  }

  async function repeat(batch: Batch, first: unknown, abandon: AbortSignal): Promise<Delivered | undefined> {
    const backoff = createBackoff(pauses);
    let failure = first;
    for (let attempts = 1; ; attempts += 1) {
      if (
        attempts >= (context.maxAttempts || Number.POSITIVE_INFINITY) &&
        (await giveUp(context, batch, failure))
      )
        return {};
      await pause(backoff.next(), abandon);
      if (abandon.aborted) return undefined;
      context.countRetry?.(batch.length);
      try {
        return await context.deliver(batch);
      } catch (error) {
        failure = error; // the delivery logged why; the next pause is longer
      }
    }
  }

  return {
    async deliver(batch, abandon) {
      let failure: unknown;
      try {
        return await context.deliver(batch);
      } catch (error) {
        failure = error; // why was logged where it failed
      }
      if (abandon.aborted) return undefined;
      failed();
      try {
        return await repeat(batch, failure, abandon);
      } finally {
        settled();
      }
    },
  };
}

/** Hands a batch over after its last attempt. Whether somebody took it, so that it may be acknowledged. */
export async function giveUp(context: InputContext, batch: Batch, failure: unknown): Promise<boolean> {
  try {
    await context.giveUp?.(batch, toGatewayError(failure, 500, "Internal error"));
    return true;
  } catch (error) {
    context.log.warn("a message that was given up cannot be put aside", { error });
    return false;
  }
}
