import type { Processor } from "../component/component.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import type { ProcessorsOptions } from "./generated/processors-options.ts";

/** `processors`: several as one, as where a name or a label is to stand for all of them. */
export function inOrder(processors: ProcessorsOptions): Processor {
  return {
    process: (batch, context) => runProcessors(processors, [batch], context),
    close: () => closeProcessors(processors),
  };
}
