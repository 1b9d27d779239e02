// What a step of a pipeline can learn of the batch it works on: whether it is delivered in the end.

import type { Batch } from "../message/message.ts";
import type { ComponentContext, Delivered, DeliveryScope, SettledListener } from "./component.ts";

/** A scope that can be settled, or become part of another one. */
export class OpenScope implements DeliveryScope {
  // Most batches never need these lists.
  #listeners: SettledListener[] | undefined;
  #others: Promise<void>[] | undefined;
  #replies: Batch | undefined;

  onSettled(listener: SettledListener): void {
    this.#listeners ??= [];
    this.#listeners.push(listener);
  }

  dependOn(other: Promise<void>): void {
    this.#others ??= [];
    this.#others.push(other);
    // Looked at when the batch is settled; until then a rejection must not count as unhandled.
    other.catch(() => undefined);
  }

  reply(messages: Batch): void {
    this.#replies = [...(this.#replies ?? []), ...messages];
  }

  /** What was delivered, with the replies of the steps before those of the outputs. */
  answered(delivered: Delivered): Delivered {
    if (this.#replies === undefined) return delivered;
    return { ...delivered, response: [...this.#replies, ...(delivered.response ?? [])] };
  }

  /** Whether it is delivered only with other batches. */
  get dependsOnOthers(): boolean {
    return this.#others !== undefined;
  }

  /** Whether anything waits for the outcome. */
  get isUsed(): boolean {
    return this.#listeners !== undefined || this.#others !== undefined;
  }

  /** Tells the listeners; rejects where something failed that the batch depends on. */
  async settle(delivered: boolean): Promise<void> {
    for (const listener of this.#listeners ?? []) await listener(delivered);
    if (!delivered) return;
    // All are waited for: the batch may come again only when nothing is under way any more.
    const outcomes = await Promise.allSettled(this.#others ?? []);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** Leaves everything to `outer`. */
  joinTo(outer: DeliveryScope): void {
    for (const listener of this.#listeners ?? []) outer.onSettled(listener);
    for (const other of this.#others ?? []) outer.dependOn(other);
    if (this.#replies !== undefined) outer.reply(this.#replies);
  }
}

/** Does `work`, which takes a batch all the way: it was delivered unless the work rejects. */
export async function inDeliveryScope(
  context: ComponentContext,
  work: (context: ComponentContext) => Promise<Delivered>,
): Promise<Delivered> {
  const scope = new OpenScope();
  let result: Delivered;
  try {
    result = await work({ ...context, delivery: scope });
  } catch (error) {
    if (scope.isUsed) await scope.settle(false);
    throw error;
  }
  if (scope.isUsed) await scope.settle(true);
  return scope.answered(result);
}

/**
 * Does `work` that may be done again on the same messages. What an attempt that failed did counts as not
 * delivered at once, so that the next one does not meet it; of one that did not, the batch around it decides.
 */
export async function inAttemptScope<T>(
  context: ComponentContext,
  work: (context: ComponentContext) => T | Promise<T>,
  hasFailed: (result: T) => boolean,
): Promise<T> {
  const scope = new OpenScope();
  let result: T;
  try {
    result = await work({ ...context, delivery: scope });
  } catch (error) {
    await scope.settle(false);
    throw error;
  }
  if (hasFailed(result)) await scope.settle(false);
  else if (context.delivery !== undefined) scope.joinTo(context.delivery);
  else await scope.settle(true);
  return result;
}
