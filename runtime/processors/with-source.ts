// Records which processor failed on a message, for `error_source_label()` and similar functions of mappings.

import type { Processor } from "../component/component.ts";
import type { Batch, FailureSource, Message } from "../message/message.ts";

/**
 * Returns the processor, which adds `source` to each message on which it fails. A nested processor that failed keeps
 * its own.
 */
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
