import type { Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { oneByOne } from "./apart.ts";
import type { ForEachOptions } from "./generated/for-each-options.ts";

/** `for_each`: takes each message as a batch of its own through the processors, one after the other. */
export function forEach(processors: ForEachOptions): Processor {
  return {
    process: (batch, context) => oneByOne(batch, (alone) => runProcessors(processors, [alone], context)),
    close: () => closeProcessors(processors),
  };
}
