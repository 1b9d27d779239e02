// Which processor failed on a message, for mappings that ask: `error_source_label()` and its like.

import type { Processor } from "../component/component.ts";
import type { Batch, FailureSource, Message } from "../message/message.ts";

/** The processor, naming itself on each message it fails on; one within it that did keeps its name. */
export function withSource(processor: Processor, source: FailureSource): Processor {
  const named = (batches: readonly Batch[]) =>
    batches.map((batch) => batch.map((each) => name(each, source)));
  return {
    ...processor,
    process(batch, context) {
      const batches = processor.process(batch, context);
      return batches instanceof Promise ? batches.then(named) : named(batches);
    },
  };
}

function name(message: Message, source: FailureSource): Message {
  const { failure, failureSource } = message;
  return failure === undefined || failureSource !== undefined
    ? message
    : message.withFailure(failure, source);
}
