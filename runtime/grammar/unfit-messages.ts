// Messages of one write that their protocol cannot carry.

import { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";

/** A write of which nothing was sent, since some of its messages never can be. */
export class UnfitMessages extends GatewayError {
  override readonly name = "UnfitMessages";
  /** By the messages as they were given to the output. */
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
 * What `prepare` makes of each message, in order. Nothing may be sent before it has returned: where it fails on a message
 * that is at fault itself (422), it looks at the others too and throws `UnfitMessages`.
 */
export function prepareAll<T>(batch: Batch, prepare: (message: Message, index: number) => T): readonly T[] {
  const prepared: T[] = [];
  let failures: Map<Message, GatewayError> | undefined;
  let first: GatewayError | undefined;
  for (let index = 0; index < batch.length; index += 1) {
    const message = batch[index];
    if (message === undefined) continue; // there are no holes
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
