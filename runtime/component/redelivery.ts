// Hands batches to the pipeline until they are confirmed, for inputs whose source does not redeliver.
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { attempt } from "../concurrency/promises.ts";
import { type Blockage, blockageOf, type SourceOf } from "../conditions/blockage.ts";
import { type GatewayError, toGatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { Delivered, InputContext } from "./component.ts";

const pauses = { first: 200, longest: 30_000 };

/** Deliveries of one input that are repeated until they succeed. */
export interface Redelivery {
  /**
   * Delivers `batch`, again and again with growing pauses while that fails, until the stream's
   * `max_attempts` are used up and it was handed over. Gives `undefined` when `abandon` was aborted
   * before that; one attempt is always made and waited for.
   */
  deliver(batch: Batch, abandon: AbortSignal): Promise<Delivered | undefined>;
  /**
   * The same for inputs that read on once it resolves, and acknowledge nothing: it resolves earlier, too, where the batch is
   * held until others come after it. What became of it then goes to `onBegun` alone. `settled` resolves once all of them are
   * delivered.
   */
  deliverNext(
    batch: Batch,
    abandon: AbortSignal,
    onBegun?: (outcome: Promise<Delivered | undefined>) => void,
  ): Promise<Delivered | undefined>;
  settled(): Promise<void>;
}

/** Deliveries into `context`; `sourceOf` says where a batch stands in the source. The input is blocked by each batch from its first failure until it is settled. */
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
        // The delivery logged why; the next pause is longer.
        blockage.failure = failureOf(error);
        blockage.attempts += 1;
      }
    }
  }

  async function deliverAgain(
    batch: Batch,
    failure: GatewayError,
    abandon: AbortSignal,
  ): Promise<Delivered | undefined> {
    const blockage = blockageOf(batch, failure, sourceOf);
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

  // Hardly any delivery fails: the others cost one promise here. Why one failed was logged where it failed.
  const deliver: Redelivery["deliver"] = (batch, abandon) =>
    attempt(context.deliver, batch).catch((error) => deliverAgain(batch, failureOf(error), abandon));
  return {
    deliver,
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

function failureOf(error: unknown): GatewayError {
  return toGatewayError(error, 500, "Internal error");
}

/** Hands a batch over after its last attempt. Whether it was accepted, so that it may be acknowledged. */
export async function giveUp(context: InputContext, batch: Batch, failure: unknown): Promise<boolean> {
  try {
    await context.giveUp?.(batch, failureOf(failure));
    return true;
  } catch (error) {
    context.log.warn("a message that was given up cannot be written to the dead-letter output", { error });
    return false;
  }
}
