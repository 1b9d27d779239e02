// `retry`: runs processors on a message until they succeed.

import type { ComponentContext, Processor } from "../component/component.ts";
import { inAttemptScope } from "../component/delivery-scope.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { createBackoff } from "../concurrency/backoff.ts";
import type { Batch } from "../message/message.ts";
import { oneByOne, type StepOutput, sideBySide } from "./apart.ts";
import { type RetryOptions, retryDefaults } from "./generated/retry-options.ts";
import { waitUnlessStopped } from "./stopping.ts";

/**
 * Passes each message alone through the processors, each time in its original form, until no result is failed or the
 * limits are reached; then the message continues as failed. An earlier failure of the message is cleared. The metadata
 * of the results has the number of retries (`retry_count`) and their total time in nanoseconds (`backoff_duration`).
 */
export function retry(options: RetryOptions): Processor {
  const { processors, parallel, max_retries: maxRetries } = { ...retryDefaults, ...options };
  const {
    initial_interval: first,
    max_interval: longest,
    max_elapsed_time: maxElapsed,
  } = {
    ...retryDefaults.backoff,
    ...options.backoff,
  };

  async function attempt(alone: Batch, context: ComponentContext): Promise<readonly Batch[]> {
    const original = alone.map((message) => message.withFailure(undefined));
    const backoff = createBackoff({ first, longest });
    const started = performance.now();
    for (let count = 0; ; count++) {
      const batches = await inAttemptScope(
        context,
        (inside) => runProcessors(processors, [original], inside),
        (results) => results.some(hasFlag),
      );
      const elapsed = performance.now() - started;
      const pause = backoff.next();
      const isLast =
        (maxRetries > 0 && count >= maxRetries) || (maxElapsed > 0 && elapsed + pause > maxElapsed);
      if (isLast || !batches.some(hasFlag)) return batches.map((batch) => annotate(batch, count, elapsed));
      await waitUnlessStopped(pause, context.signal);
    }
  }

  return {
    process(batch, context): StepOutput {
      const step = (alone: Batch) => attempt(alone, context);
      return parallel ? sideBySide(batch, 0, step) : oneByOne(batch, step);
    },
    close: () => closeProcessors(processors),
  };
}

function hasFlag(batch: Batch): boolean {
  return batch.some(({ failure }) => failure !== undefined);
}

function annotate(batch: Batch, count: number, elapsed: number): Batch {
  const added = [
    ["retry_count", count],
    ["backoff_duration", count === 0 ? 0 : Math.round(elapsed * 1e6)],
  ] as const;
  return batch.map((message) => message.withEntries(added));
}
