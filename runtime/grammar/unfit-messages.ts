// Finds the messages of a write that their protocol cannot carry.

import { UnfitMessages } from "../component/unfit-messages.ts";
import { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";

/**
 * Returns the results of `prepare` for all messages, in order. Nothing may be sent before it has returned: if it
 * fails on a message that is itself at fault (422), it also checks the others and throws `UnfitMessages`.
 */
export function prepareAll<T>(batch: Batch, prepare: (message: Message, index: number) => T): readonly T[] {
  const prepared: T[] = [];
  let failures: Map<Message, GatewayError> | undefined;
  let first: GatewayError | undefined;
  for (let index = 0; index < batch.length; index += 1) {
    const message = batch[index];
    if (message === undefined) continue; // batches have no holes
    try {
      prepared.push(prepare(message, index));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status !== 422) throw error;
      first ??= error;
      failures ??= new Map();
      failures.set(message, error);
    }
  }
  if (first !== undefined && failures !== undefined) {
    throw new UnfitMessages(failures, first, failures.size === batch.length);
  }
  return prepared;
}
