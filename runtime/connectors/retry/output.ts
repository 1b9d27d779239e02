import { wrapOutput } from "../../component/children.ts";
import type { ComponentContext, Output } from "../../component/component.ts";
import { notConnected, writePersistently } from "../../component/persistence.ts";
import { abort } from "../../concurrency/abort.ts";
import { startAt } from "../../failures/place.ts";
import { type RetryOutputOptions, retryOutputDefaults } from "./generated/output-options.ts";

/**
 * Retries writes, with growing pauses, until the output confirms or the attempts are used up. A permanent failure,
 * such as a message that cannot be processed, is not retried.
 */
export function retryOutput({ output, max_retries: maxRetries, backoff = {} }: RetryOutputOptions): Output {
  const closing = new AbortController();
  const times = { ...retryOutputDefaults.backoff, ...backoff };
  let context: ComponentContext | undefined;
  return wrapOutput(output, {
    start(given) {
      context = given;
      return startAt(output, given);
    },
    async write(batch) {
      if (context === undefined) throw notConnected();
      return writePersistently(output, batch, {
        log: context.log,
        signal: AbortSignal.any([closing.signal, context.signal]),
        complaint: "the output failed, trying again",
        pauses: { first: times.initial_interval, longest: times.max_interval },
        ...(maxRetries ? { maxRetries } : {}),
        ...(times.max_elapsed_time > 0 && { maxElapsed: times.max_elapsed_time }),
      });
    },
    async close() {
      abort(closing);
      await output.close();
    },
  });
}
