// The gate in front of every output: a message that a processor failed on goes only where such messages are
// meant to go.

import { GatewayError } from "../errors.ts";
import { noteFailure } from "../failures/place.ts";
import type { Batch, Message } from "../message/message.ts";
import type { Delivered, Output } from "./component.ts";

/**
 * The failure of a message that was handed to where failed messages are meant to go. Mappings still see it
 * (`error()`), no gate holds it up any more; a step that fails anew puts its own failure in its place.
 */
class AcceptedFailure extends GatewayError {
  readonly original: GatewayError;

  constructor(original: GatewayError) {
    super(original.status, original.message, { retryable: original.retryable });
    this.original = original;
  }
}

/** The message as one that every output takes, its failure still told to those who ask. */
export function acceptFailure(message: Message): Message {
  const { failure, failureSource } = message;
  if (failure === undefined || failure instanceof AcceptedFailure) return message;
  return message.withFailure(new AcceptedFailure(failure), failureSource);
}

/** The failure a processor put on the message, accepted since or not. */
export function failureOf({ failure }: Message): GatewayError | undefined {
  return failure instanceof AcceptedFailure ? failure.original : failure;
}

/** The failure that no gate has let pass yet; `undefined` where the message may go anywhere. */
export function heldFailure({ failure }: Message): GatewayError | undefined {
  return failure instanceof AcceptedFailure ? undefined : failure;
}

/** Why a message is held up in front of `output`; `undefined` where it may pass. */
export function findHeld(output: Output, batch: Batch, index: number): GatewayError | undefined {
  const message = batch[index];
  const failure = message && heldFailure(message);
  return failure !== undefined && output.takesFailed?.(batch, index) !== true ? failure : undefined;
}

/**
 * Writes to an output that stands inside another one. Rejects, and writes nothing of the batch, while one of
 * its messages is held up.
 */
export async function writeThroughGate(output: Output, batch: Batch): Promise<Delivered> {
  for (let index = 0; index < batch.length; index++) {
    const failure = findHeld(output, batch, index);
    if (failure !== undefined) throw failure;
  }
  try {
    return await output.write(batch);
  } catch (error) {
    if (error instanceof GatewayError) noteFailure(error, output);
    throw error;
  }
}
