// `branch`: runs processors on a side message, and merges their result into the original.

import type { Processor } from "../component/component.ts";
import { closeProcessors } from "../component/pipeline.ts";
import type { BranchOptions } from "./generated/branch-options.ts";
import { createSides, mergeSides, runSides } from "./sides.ts";

/**
 * `request_map` makes the side message: a copy if it is not set, none if it returns `deleted()`. `processors` run on
 * all side messages of the batch. `result_map` writes to the original. If one of the three fails on a message, the
 * message continues unchanged, marked as failed.
 */
export function branch(options: BranchOptions): Processor {
  return {
    async process(batch, context) {
      const { sides, failures } = createSides(options.request_map, batch);
      const results = await runSides(options.processors, sides, batch.length, context);
      const outcome = [...batch];
      const failed = [...failures, ...mergeSides(options.result_map, sides, results, outcome)];
      for (const { index, failure, source } of failed) {
        const message = batch[index];
        if (message !== undefined) outcome[index] = message.withFailure(failure, source);
      }
      return [outcome];
    },
    close: () => closeProcessors(options.processors),
  };
}
