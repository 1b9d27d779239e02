// Delivers batches to the pipeline until they are confirmed, for inputs whose source does not redeliver.
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { attempt } from "../concurrency/promises.ts";
import { type Blockage, blockageOf, type SourceOf } from "../conditions/blockage.ts";
import { type GatewayError, toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import { warnOfMessages } from "../failures/failure-log.ts";
import type { Batch } from "../message/message.ts";
import type { Delivered, InputContext } from "./component.ts";
import { deliverEachOnce } from "./deliver-each.ts";

const pauses = { first: 200, longest: 30_000 };

/** Returns the context of an input. Without `replays` (`auto_replay_nacks`), each of its deliveries has one attempt. */
export function withReplay(context: InputContext, replays: boolean): InputContext {
  return replays ? context : { ...context, maxAttempts: 1 };
}

/** The deliveries of one input, which are repeated until they succeed. */
export interface Redelivery {
  /**
   * Delivers `batch`. While that fails, repeats it with growing pauses, until the stream's `max_attempts` are used up
   * and `giveUp` took the batch. Resolves with `undefined` if `abandon` is aborted before that; at least one attempt
   * is always made and awaited.
   */
  deliver(batch: Batch, abandon: AbortSignal): Promise<Delivered | undefined>;
  /** As `deliver`, for a batch whose first attempt failed with `error`. */
  deliverAgain(batch: Batch, error: unknown, abandon: AbortSignal): Promise<Delivered | undefined>;
  /**
   * As `deliver`, for inputs that continue to read when it resolves and acknowledge nothing. It also resolves if the
   * batch is held until other batches follow; then only `onBegun` receives the outcome. `settled` resolves when all
   * of these batches are delivered.
   */
  deliverNext(
    batch: Batch,
    abandon: AbortSignal,
    onBegun?: (outcome: Promise<Delivered | undefined>) => void,
  ): Promise<Delivered | undefined>;
  settled(): Promise<void>;
}

/**
 * Returns deliveries into `context`; `sourceOf` returns the position of a batch in the source. Each batch blocks the
 * input from its first failure until it is settled.
 */
export function createRedelivery(context: InputContext, sourceOf?: SourceOf): Redelivery {
  const { collectors } = context;
  async function repeat(blockage: Blockage, abandon: AbortSignal): Promise<Delivered | undefined> {
    const backoff = createBackoff(pauses);
    const { batch } = blockage;
    for (;;) {
      const isLast = blockage.attempts >= (context.maxAttempts || Number.POSITIVE_INFINITY);
      if (isLast && (await giveUp(context, batch, blockage.failure))) return {};
      const rest = () => pause(backoff.next(), abandon);
      await (collectors?.isEmpty === false ? collectors.rest(rest) : rest());
      if (abandon.aborted) return undefined;
      context.countRetry?.(batch.length);
      try {
        return await context.deliver(batch);
      } catch (error) {
        // The delivery has logged the reason; the next pause is longer.
        blockage.failure = failureOf(error);
        blockage.attempts += 1;
      }
    }
  }

  async function deliverAgain(
    batch: Batch,
    error: unknown,
    abandon: AbortSignal,
  ): Promise<Delivered | undefined> {
    const blockage = blockageOf(batch, failureOf(error), sourceOf);
    if (abandon.aborted) {
      context.reportRefused?.(blockage);
      return undefined;
    }
    const end = context.beginBlockage(blockage);
    try {
      return await repeat(blockage, abandon);
    } finally {
      end();
    }
  }

  // Few deliveries fail: the others need only one promise here. The reason of a failure is logged where it occurs.
  const deliver: Redelivery["deliver"] = (batch, abandon) =>
    attempt(context.deliver, batch).catch((error) => deliverAgain(batch, error, abandon));
  return {
    deliver,
    deliverAgain,
    deliverNext(batch, abandon, onBegun) {
      const begin = () => {
        const outcome = deliver(batch, abandon);
        onBegun?.(outcome);
        return outcome;
      };
      return collectors?.isEmpty === false ? collectors.next(begin, {}) : begin();
    },
    settled: async () => collectors?.settled(),
  };
}

/**
 * Delivers each of `messages` as `Redelivery.deliver` would, in order. Calls `settle` once for each with its index and
 * whether it is confirmed; it is not if it was given up for `abandon`.
 */
export type DeliverMessages = (
  messages: Batch,
  abandon: AbortSignal,
  settle: (index: number, isConfirmed: boolean) => void,
) => void;

/** Returns a function that delivers messages into `context`; `sourceOf` as for `createRedelivery`. */
export function createRedeliveryOfEach(context: InputContext, sourceOf?: SourceOf): DeliverMessages {
  const redelivery = createRedelivery(context, sourceOf);
  return (messages, abandon, settle) =>
    deliverEachOnce(context.deliver, messages, {
      confirm: (index) => settle(index, true),
      fail(index, failed, error) {
        void redelivery
          .deliverAgain(failed, error, abandon)
          .then((delivered) => settle(index, delivered !== undefined));
      },
    });
}

function failureOf(error: unknown): GatewayError {
  return toGatewayError(error, 500, "Internal error");
}

/**
 * Passes a batch to `giveUp` after its last attempt. Returns whether it was accepted, so that it may be acknowledged.
 */
export async function giveUp(context: InputContext, batch: Batch, failure: unknown): Promise<boolean> {
  try {
    await context.giveUp?.(batch, failureOf(failure));
    return true;
  } catch (error) {
    const text = "an undeliverable message cannot be written to the dead-letter output";
    warnOfMessages(context, text, batch.length, { ...describeFailure(failureOf(error)) });
    return false;
  }
}
