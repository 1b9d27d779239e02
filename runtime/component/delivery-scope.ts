// Tells the steps of a pipeline whether the batch that they work on is delivered in the end.

import type { Batch } from "../message/message.ts";
import type { ComponentContext, Delivered, DeliveryScope, SettledListener } from "./component.ts";

/** A scope that can be settled, or become part of another scope. */
export class OpenScope implements DeliveryScope {
  // Created on demand: most batches never need these lists.
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
    // `settle` awaits the promise later; until then its rejection must not count as unhandled.
    other.catch(() => undefined);
  }

  reply(messages: Batch): void {
    this.#replies = [...(this.#replies ?? []), ...messages];
  }

  /** Returns `delivered` with the replies of the steps before the replies of the outputs. */
  answered(delivered: Delivered): Delivered {
    if (this.#replies === undefined) return delivered;
    return { ...delivered, response: [...this.#replies, ...(delivered.response ?? [])] };
  }

  /** Whether its delivery depends on other batches. */
  get dependsOnOthers(): boolean {
    return this.#others !== undefined;
  }

  /** Whether a listener or a dependency is registered. */
  get isUsed(): boolean {
    return this.#listeners !== undefined || this.#others !== undefined;
  }

  /** Calls the listeners; rejects if something that the batch depends on failed. */
  async settle(delivered: boolean): Promise<void> {
    for (const listener of this.#listeners ?? []) await listener(delivered);
    if (!delivered) return;
    // Wait for all of them: the batch may be delivered again only when nothing is in flight.
    const outcomes = await Promise.allSettled(this.#others ?? []);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** Moves its listeners, dependencies and replies to `outer`. */
  joinTo(outer: DeliveryScope): void {
    for (const listener of this.#listeners ?? []) outer.onSettled(listener);
    for (const other of this.#others ?? []) outer.dependOn(other);
    if (this.#replies !== undefined) outer.reply(this.#replies);
  }
}

/** Runs `work`, which delivers a batch completely; the batch counts as delivered unless `work` rejects. */
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
 * Runs `work`, which may be repeated with the same messages. If an attempt fails, its listeners learn immediately that
 * nothing was delivered, so that they do not affect the next attempt. If it succeeds, the surrounding batch decides.
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
