// The gate in front of every output: a message that a processor failed on passes only to outputs that accept failed
// messages.

import { GatewayError } from "../errors.ts";
import { noteFailure } from "../failures/place.ts";
import type { Batch, Message } from "../message/message.ts";
import type { Delivered, Output } from "./component.ts";

/**
 * The failure of a message that was passed to an output for failed messages. Mappings still see it (`error()`), but
 * no gate rejects the message again; a step that fails later replaces it with its own failure.
 */
class AcceptedFailure extends GatewayError {
  readonly original: GatewayError;

  constructor(original: GatewayError) {
    super(original.status, original.message, { retryable: original.retryable });
    this.original = original;
  }
}

/** Returns the message so that every output accepts it; mappings still see its failure. */
export function acceptFailure(message: Message): Message {
  const { failure, failureSource } = message;
  if (failure === undefined || failure instanceof AcceptedFailure) return message;
  return message.withFailure(new AcceptedFailure(failure), failureSource);
}

/** Returns the failure that a processor set on the message, whether it has been accepted since or not. */
export function failureOf({ failure }: Message): GatewayError | undefined {
  return failure instanceof AcceptedFailure ? failure.original : failure;
}

/** Returns the failure that no gate has accepted yet; `undefined` if the message may go to every output. */
export function heldFailure({ failure }: Message): GatewayError | undefined {
  return failure instanceof AcceptedFailure ? undefined : failure;
}

/** Returns why the gate in front of `output` rejects a message; `undefined` if the message may pass. */
export function findHeld(output: Output, batch: Batch, index: number): GatewayError | undefined {
  const message = batch[index];
  const failure = message && heldFailure(message);
  return failure !== undefined && output.takesFailed?.(batch, index) !== true ? failure : undefined;
}

/**
 * Writes to an output that is part of another output. Rejects and writes nothing of the batch if the gate rejects one
 * of its messages.
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
