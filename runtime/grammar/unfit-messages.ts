// The error for messages of a write that their protocol cannot carry.

import { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";

/** The error of a write that sent nothing because some of its messages can never be sent. */
export class UnfitMessages extends GatewayError {
  override readonly name = "UnfitMessages";
  /** The failures by message, as passed to the output. */
  readonly failures: ReadonlyMap<Message, GatewayError>;

  constructor(failures: ReadonlyMap<Message, GatewayError>, first: GatewayError) {
    super(first.status, first.message, {
      retryable: false,
      cause: first.cause,
      ...(first.reason !== undefined && { reason: first.reason }),
    });
    this.failures = failures;
  }
}

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
  if (first !== undefined && failures !== undefined) throw new UnfitMessages(failures, first);
  return prepared;
}
