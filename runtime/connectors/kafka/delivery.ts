import type { Delivered, InputContext } from "../../component/component.ts";
import { waitForLimit } from "../../component/rate-limit-wait.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import type { RateLimit } from "../../component/resource.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import type { Message } from "../../message/message.ts";

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
 * Returns a function that delivers one message;
 * it resolves with `undefined` if the delivery was given up for `abandon`.
 */
export function createDelivery(
  { replays, rateLimit }: DeliverySettings,
  context: InputContext,
): (message: Message, abandon: AbortSignal) => Promise<Delivered | undefined> {
  const redelivery = createRedelivery(replays ? context : { ...context, maxAttempts: 1 }, sourceOf);
  const deliver = (message: Message, abandon: AbortSignal) => redelivery.deliver([message], abandon);
  if (rateLimit === undefined) return deliver;
  const order = new Semaphore(1);
  return async (message, abandon) => {
    try {
      // One after the other, so that the messages of a partition stay in order.
      const waiter = { log: context.log, signal: abandon };
      await order.use(() => waitForLimit(rateLimit, message.bytes().length, waiter));
    } catch (error) {
      if (abandon.aborted) return undefined;
      throw error;
    }
    return deliver(message, abandon);
  };
}
