// Hands batches to the pipeline until they are confirmed, for inputs whose source does not send again by itself.

import { createBackoff, pause } from "./backoff.ts";
import type { Delivered, InputContext } from "./component.ts";
import type { Batch } from "./message.ts";

const pauses = { first: 200, longest: 30_000 };

/** Deliveries of one input that are repeated until they succeed. */
export interface Redelivery {
  /**
   * Delivers `batch`, again and again with growing pauses while that fails. Gives `undefined` when
   * `abandon` was aborted before it succeeded; one attempt is always made and waited for.
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

  async function repeat(batch: Batch, abandon: AbortSignal): Promise<Delivered | undefined> {
    const backoff = createBackoff(pauses);
    while (!abandon.aborted) {
      await pause(backoff.next(), abandon);
      if (abandon.aborted) return undefined;
      try {
        return await context.deliver(batch);
      } catch {
        // The delivery logged why; the next pause is longer.
      }
    }
    return undefined;
  }

  return {
    async deliver(batch, abandon) {
      try {
        return await context.deliver(batch);
      } catch {
        failed(); // why was logged where it failed
      }
      try {
        return await repeat(batch, abandon);
      } finally {
        settled();
      }
    },
  };
}
