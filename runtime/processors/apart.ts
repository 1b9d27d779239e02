// Splits batches and reassembles them, for steps that treat messages differently or one by one.

import type { Batch, Message } from "../message/message.ts";

/** The result of a step on a batch, now or later. */
export type StepOutput = readonly Batch[] | Promise<readonly Batch[]>;

/** A split batch, whose messages take different ways. */
export interface Apart {
  /** The messages, each of which knows its place in the batch. */
  readonly messages: Batch;
  /** Returns the results as one batch, in the order of their original places; no batch if there are no results. */
  together(results: readonly Message[]): readonly Batch[];
}

/** Splits a batch. If the batch is part of another one, its messages get their places in that one back afterwards. */
export function takeApart(batch: Batch): Apart {
  const [only] = batch;
  if (batch.length === 1 && only !== undefined) {
    const restored = (message: Message) => message.withPlace(only.place);
    return {
      messages: batch,
      together: (results) => {
        if (results.length === 0) return [];
        return [results.every(({ place }) => place === only.place) ? results : results.map(restored)];
      },
    };
  }
  const outer = (message: Message) => message.withPlace(batch[message.place]?.place ?? 0);
  return {
    messages: batch.map((message, index) => message.withPlace(index)),
    together: (results) =>
      results.length === 0 ? [] : [results.toSorted((a, b) => a.place - b.place).map(outer)],
  };
}

/** Passes each message through `step` as a separate batch, one after the other. The results are one batch. */
export function oneByOne(batch: Batch, step: (alone: Batch) => StepOutput): StepOutput {
  if (batch.length === 1) return afterwards(step(batch), asOneBatch);
  return afterwards(inTurn(batch, step), (results) => asOneBatch(results));
}

/** Returns the results of `step` for each message from `start` on. Stays synchronous as long as `step` does. */
function inTurn(batch: Batch, step: (alone: Batch) => StepOutput, start = 0): StepOutput {
  const results: Batch[] = [];
  for (let index = start; index < batch.length; index++) {
    const message = batch[index];
    const outcome = message === undefined ? [] : step([message]);
    if (outcome instanceof Promise) return continueLater(batch, step, index + 1, results, outcome);
    results.push(...outcome);
  }
  return results;
}

async function continueLater(
  batch: Batch,
  step: (alone: Batch) => StepOutput,
  next: number,
  before: readonly Batch[],
  current: Promise<readonly Batch[]>,
): Promise<readonly Batch[]> {
  const outcome = await current;
  return [...before, ...outcome, ...(await inTurn(batch, step, next))];
}

/**
 * Like `oneByOne`, with up to `limit` messages in progress at once; 0 for no limit. If a step is refused, this waits
 * for the others first: nothing is in progress when the batch returns to its input.
 */
export async function sideBySide(
  batch: Batch,
  limit: number,
  step: (alone: Batch) => StepOutput,
): Promise<readonly Batch[]> {
  const results: (readonly Batch[])[] = [];
  let next = 0;
  async function work(): Promise<void> {
    for (let index = next++; index < batch.length; index = next++) {
      const message = batch[index];
      if (message !== undefined) results[index] = await step([message]);
    }
  }
  const workers = limit > 0 ? Math.min(limit, batch.length) : batch.length;
  const settled = await Promise.allSettled(Array.from({ length: workers }, work));
  for (const each of settled) if (each.status === "rejected") throw each.reason;
  return asOneBatch(results.flat());
}

function asOneBatch(batches: readonly Batch[]): readonly Batch[] {
  if (batches.length <= 1) return batches;
  const messages = batches.flat();
  return messages.length === 0 ? [] : [messages];
}

/** Returns the result of `next` for a value that may be pending. If it is not pending, calls `next` immediately. */
export function afterwards<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
