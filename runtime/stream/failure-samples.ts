// `error_handling.log`: logs messages that a processor failed on.

import type { ComponentContext, ErrorHandling, Processor } from "../component/component.ts";
import { processAt } from "../component/pipeline.ts";
import { describeFailure } from "../failures/description.ts";
import { noteFailures } from "../failures/place.ts";
import type { Batch } from "../message/message.ts";
import { decodeUtf8 } from "../text/utf8.ts";

/** The options of `error_handling.log` when it is enabled. */
export interface FailureSamplesOptions {
  readonly add_payload?: boolean;
  /** From 0 to 1. */
  readonly sampling_ratio?: number;
}

/**
 * Makes each step of a pipeline log the messages that it fails on, or a sample of them. A failure of an earlier step is not
 * logged again. The text of a failure may quote the message, so it is logged only together with the payload.
 */
export function failureSamples({
  add_payload: addPayload = false,
  sampling_ratio: ratio = 1,
}: FailureSamplesOptions): NonNullable<ErrorHandling["log"]> {
  return (step: Processor): Processor => ({
    ...step,
    process(batch, context) {
      const earlier = new Set(batch.map(({ failure }) => failure));
      const logged = (batches: readonly Batch[]) => {
        noteFailures(batches, step);
        for (const message of batches.flat()) {
          const { failure } = message;
          if (failure === undefined || earlier.has(failure) || Math.random() >= ratio) continue;
          log(context, {
            ...describeFailure(failure),
            ...(addPayload && { error: failure.message, raw_payload: decodeUtf8(message.bytes()) }),
          });
        }
        return batches;
      };
      const result = processAt(step, batch, context);
      return result instanceof Promise ? result.then(logged) : logged(result);
    },
  });
}

function log(context: ComponentContext, fields: Readonly<Record<string, unknown>>): void {
  context.log.error("failed processing", fields);
}
