import type { Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { sideBySide } from "./apart.ts";
import { type ParallelOptions, parallelDefaults } from "./generated/parallel-options.ts";

/** `parallel`: as `for_each`, with up to `cap` messages at once; they come out in the order they came. */
export function parallel(options: ParallelOptions): Processor {
  const { processors, cap } = { ...parallelDefaults, ...options };
  return {
    process: (batch, context) =>
      sideBySide(batch, cap, (alone) => runProcessors(processors, [alone], context)),
    close: () => closeProcessors(processors),
  };
}
