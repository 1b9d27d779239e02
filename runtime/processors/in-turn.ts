// Passes the messages of a batch, one after the other, through a step that may be asynchronous.

import type { Eventually } from "../component/resource.ts";
import type { Batch, Message } from "../message/message.ts";

/** Returns the results of one message: the message itself, another one, several, or none. */
export type MessageStep = (message: Message, index: number) => Eventually<readonly Message[]>;

/**
 * Returns the results of all messages, in the order of the batch, as one batch; no batch if there are no results. With
 * `backwards`, begins with the last message. Stays synchronous as long as the step does, so that batches keep their
 * order.
 */
export function inTurn(batch: Batch, step: MessageStep, backwards = false): Eventually<readonly Batch[]> {
  const results: (readonly Message[])[] = [];
  const indexes = [...batch.keys()];
  if (backwards) indexes.reverse();
  const gather = (): readonly Batch[] => {
    const left = results.flat();
    return left.length === 0 ? [] : [left];
  };

  for (const [position, index] of indexes.entries()) {
    const outcome = stepAt(batch, index, step);
    if (outcome instanceof Promise)
      return finishLater(batch, step, indexes.slice(position), outcome, results).then(gather);
    results[index] = outcome;
  }
  return gather();
}

/** Handles the rest of a batch, from the first asynchronous step on. */
async function finishLater(
  batch: Batch,
  step: MessageStep,
  indexes: readonly number[],
  first: Promise<readonly Message[]>,
  results: (readonly Message[])[],
): Promise<void> {
  for (const [position, index] of indexes.entries()) {
    results[index] = await (position === 0 ? first : stepAt(batch, index, step));
  }
}

function stepAt(batch: Batch, index: number, step: MessageStep): Eventually<readonly Message[]> {
  const message = batch[index];
  return message === undefined ? [] : step(message, index);
}
