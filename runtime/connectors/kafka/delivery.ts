import type { Delivered, InputContext } from "../../component/component.ts";
import { deliverEach } from "../../component/deliver-each.ts";
import { waitForLimit } from "../../component/rate-limit-wait.ts";
import { createRedelivery, type Redelivery } from "../../component/redelivery.ts";
import type { RateLimit } from "../../component/resource.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import type { Batch, Message } from "../../message/message.ts";

/** How messages are delivered. */
export interface DeliverySettings {
  /** Whether failed deliveries are retried until they succeed. */
  readonly replays: boolean;
  /** The rate limit for which every message waits. */
  readonly rateLimit?: RateLimit | undefined;
}

const sourceOf = /* @__PURE__ */ sourceFrom({
  topic: "kafka_topic",
  partition: "kafka_partition",
  offset: "kafka_offset",
});

/**
 * Delivers messages, each until it is confirmed, and calls `settle` once for each with its index and whether it was;
 * it was not if it was given up for `abandon`.
 */
export type DeliverMessages = (
  messages: Batch,
  abandon: AbortSignal,
  settle: (index: number, isConfirmed: boolean) => void,
) => void;

/** Returns a function that delivers the messages of one partition. */
export function createDelivery(
  { replays, rateLimit }: DeliverySettings,
  context: InputContext,
): DeliverMessages {
  const redelivery = createRedelivery(replays ? context : { ...context, maxAttempts: 1 }, sourceOf);
  if (rateLimit !== undefined) return limited(rateLimit, redelivery, context);
  return (messages, abandon, settle) =>
    deliverEach(context.deliver, messages, {
      confirm: (index) => settle(index, true),
      fail(index, error) {
        void redelivery
          .deliverAgain(messages.slice(index, index + 1), error, abandon)
          .then((delivered) => settle(index, delivered !== undefined));
      },
    });
}

/** Delivers messages one after the other, so that the messages of a partition stay in order. */
function limited(rateLimit: RateLimit, redelivery: Redelivery, context: InputContext): DeliverMessages {
  const order = new Semaphore(1);
  async function deliver(message: Message, abandon: AbortSignal): Promise<Delivered | undefined> {
    try {
      const waiter = { log: context.log, signal: abandon };
      await order.use(() => waitForLimit(rateLimit, message.bytes().length, waiter));
    } catch (error) {
      if (abandon.aborted) return undefined;
      throw error;
    }
    return redelivery.deliver([message], abandon);
  }
  return (messages, abandon, settle) => {
    for (const [index, message] of messages.entries()) {
      void deliver(message, abandon).then((delivered) => settle(index, delivered !== undefined));
    }
  };
}
