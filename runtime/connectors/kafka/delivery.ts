import type { Delivered, InputContext } from "../../component/component.ts";
import { waitForLimit } from "../../component/rate-limit-wait.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import type { RateLimit } from "../../component/resource.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import type { Message } from "../../message/message.ts";

/** How messages are handed over. */
export interface DeliverySettings {
  /** Whether what cannot be delivered is tried again until it can. */
  readonly replays: boolean;
  /** Every message waits for it. */
  readonly rateLimit?: RateLimit | undefined;
}

const sourceOf = /* @__PURE__ */ sourceFrom({
  topic: "kafka_topic",
  partition: "kafka_partition",
  offset: "kafka_offset",
});

/** Hands one message over; gives `undefined` when it was given up for `abandon`. */
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
      // One after the other, so that those of a partition keep their order.
      const waiter = { log: context.log, signal: abandon };
      await order.use(() => waitForLimit(rateLimit, message.bytes().length, waiter));
    } catch (error) {
      if (abandon.aborted) return undefined;
      throw error;
    }
    return deliver(message, abandon);
  };
}
