// `catch`: processors for messages that something before failed on.

import type { Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { afterwards, oneByOne } from "./apart.ts";
import type { CatchOptions } from "./generated/catch-options.ts";

/**
 * Takes each flagged message by itself through the processors, which see its flag. What comes out carries
 * none, not even that of a processor in here that failed. The other messages pass.
 */
export function catchFlagged(processors: CatchOptions): Processor {
  return {
    process: (batch, context) =>
      oneByOne(batch, (alone) => {
        if (alone[0]?.failure === undefined) return [alone];
        return afterwards(runProcessors(processors, [alone], context), (batches) =>
          batches.map((each) => each.map((message) => message.withFailure(undefined))),
        );
      }),
    close: () => closeProcessors(processors),
  };
}
