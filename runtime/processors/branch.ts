// `branch`: processors run on a side message, and what they made of it is merged into the original.

import type { Processor } from "../component/component.ts";
import { closeProcessors } from "../component/pipeline.ts";
import type { BranchOptions } from "./generated/branch-options.ts";
import { createSides, mergeSides, runSides } from "./sides.ts";

/**
 * `request_map` makes the side message (a copy without it; none where it gives `deleted()`), `processors`
 * run on all side messages of the batch, `result_map` writes to the original. A message that any of the
 * three fails on passes unchanged, flagged.
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
