// Processors that contain processors: `processors`, `for_each`, `parallel` and `catch`.

import type { Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { afterwards, oneByOne, sideBySide } from "./apart.ts";
import type { CatchOptions } from "./generated/catch-options.ts";
import type { ForEachOptions } from "./generated/for-each-options.ts";
import { type ParallelOptions, parallelDefaults } from "./generated/parallel-options.ts";
import type { ProcessorsOptions } from "./generated/processors-options.ts";

/** `processors`: runs several processors as one, for example to give all of them one name or label. */
export function inOrder(processors: ProcessorsOptions): Processor {
  return {
    process: (batch, context) => runProcessors(processors, [batch], context),
    close: () => closeProcessors(processors),
  };
}

/** `for_each`: passes each message through the processors as a separate batch, one after the other. */
export function forEach(processors: ForEachOptions): Processor {
  return {
    process: (batch, context) => oneByOne(batch, (alone) => runProcessors(processors, [alone], context)),
    close: () => closeProcessors(processors),
  };
}

/** `parallel`: like `for_each`, with up to `cap` messages at once. The results keep the order of the messages. */
export function parallel(options: ParallelOptions): Processor {
  const { processors, cap } = { ...parallelDefaults, ...options };
  return {
    process: (batch, context) =>
      sideBySide(batch, cap, (alone) => runProcessors(processors, [alone], context)),
    close: () => closeProcessors(processors),
  };
}

/**
 * `catch`: passes each failed message alone through the processors, which can read its failure. The results are not
 * failed, even if one of these processors failed. The other messages pass unchanged.
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
