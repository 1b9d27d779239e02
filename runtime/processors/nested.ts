// Processors that hold processors: `processors`, `for_each`, `parallel` and `catch`.

import type { Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { afterwards, oneByOne, sideBySide } from "./apart.ts";
import type { CatchOptions } from "./generated/catch-options.ts";
import type { ForEachOptions } from "./generated/for-each-options.ts";
import { type ParallelOptions, parallelDefaults } from "./generated/parallel-options.ts";
import type { ProcessorsOptions } from "./generated/processors-options.ts";

/** `processors`: several as one, as where a name or a label is to stand for all of them. */
export function inOrder(processors: ProcessorsOptions): Processor {
  return {
    process: (batch, context) => runProcessors(processors, [batch], context),
    close: () => closeProcessors(processors),
  };
}

/** `for_each`: takes each message as a batch of its own through the processors, one after the other. */
export function forEach(processors: ForEachOptions): Processor {
  return {
    process: (batch, context) => oneByOne(batch, (alone) => runProcessors(processors, [alone], context)),
    close: () => closeProcessors(processors),
  };
}

/** `parallel`: as `for_each`, with up to `cap` messages at once; they come out in the order they came. */
export function parallel(options: ParallelOptions): Processor {
  const { processors, cap } = { ...parallelDefaults, ...options };
  return {
    process: (batch, context) =>
      sideBySide(batch, cap, (alone) => runProcessors(processors, [alone], context)),
    close: () => closeProcessors(processors),
  };
}

/**
 * Takes each flagged message alone through the processors, which see its flag. The results carry no flag, not even that
 * of a processor in here that failed. The other messages pass.
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
