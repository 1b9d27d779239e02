// Batches taken apart and put together again, for steps that treat messages differently, or one by one.

import type { Batch, Message } from "../message/message.ts";

/** What a step makes of a batch, now or later. */
export type StepOutput = readonly Batch[] | Promise<readonly Batch[]>;

/** A batch whose messages go different ways. */
export interface Apart {
  /** The messages, each of which knows its place in the batch. */
  readonly messages: Batch;
  /** What came of them as one batch, each where its message stood; no batch where nothing came of any. */
  together(results: readonly Message[]): readonly Batch[];
}

/** Takes a batch apart. A batch that was itself part of one has its place there again afterwards. */
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

/** Takes each message through `step` as a batch of its own, one after the other; one batch of the results. */
export function oneByOne(batch: Batch, step: (alone: Batch) => StepOutput): StepOutput {
  if (batch.length === 1) return afterwards(step(batch), asOneBatch);
  return afterwards(inTurn(batch, step), (results) => asOneBatch(results));
}

/** The results of `step` on each message from `start` on; stays synchronous as long as `step` does. */
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
 * The same with up to `limit` messages under way at once, 0 for all. Also where a step is refused, the others
 * are waited for: nothing is under way any more when the batch goes back to its input.
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

/** What `next` makes of a value that may still be on its way; at once where the value is there. */
export function afterwards<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
