// `try`: runs processors in order until one of them fails on a message.

import type { ComponentContext, Processor } from "../component/component.ts";
import { closeProcessors, joinResults, processAt } from "../component/pipeline.ts";
import type { Batch, Message } from "../message/message.ts";
import { afterwards, oneByOne, type StepOutput, takeApart } from "./apart.ts";
import type { TryOptions } from "./generated/try-options.ts";

/**
 * Passes each message alone through the processors. A message that is failed, before or because of one of them, skips
 * the rest. If a processor returns several messages, the same applies to each of them.
 */
export function tryInOrder(processors: TryOptions): Processor {
  return {
    process: (batch, context) => oneByOne(batch, (alone) => runUnflagged(processors, alone, context)),
    close: () => closeProcessors(processors),
  };
}

function runUnflagged(processors: readonly Processor[], batch: Batch, context: ComponentContext): StepOutput {
  const [first, ...rest] = processors;
  if (first === undefined || batch.every(isFlagged)) return [batch];
  if (batch.some(isFlagged)) return runPartly(processors, batch, context);
  return afterwards(processAt(first, batch, context), (batches) =>
    joinResults(batches.filter(({ length }) => length > 0).map((each) => runUnflagged(rest, each, context))),
  );
}

/** Failed messages keep their positions. The others continue together. */
function runPartly(processors: readonly Processor[], batch: Batch, context: ComponentContext): StepOutput {
  const { messages, together } = takeApart(batch);
  const flagged = messages.filter(isFlagged);
  const rest = messages.filter((message) => !isFlagged(message));
  return afterwards(runUnflagged(processors, rest, context), (batches) =>
    together([...flagged, ...batches.flat()]),
  );
}

function isFlagged({ failure }: Message): boolean {
  return failure !== undefined;
}
