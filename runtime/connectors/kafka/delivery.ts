import type { Delivered, InputContext } from "../../component/component.ts";
import { waitForLimit } from "../../component/rate-limit-wait.ts";
import {
  createRedelivery,
  createRedeliveryOfEach,
  type DeliverMessages,
  type Redelivery,
} from "../../component/redelivery.ts";
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

/** Returns a function that delivers the messages of one partition. */
export function createDelivery(
  { replays, rateLimit }: DeliverySettings,
  context: InputContext,
): DeliverMessages {
  const target = replays ? context : { ...context, maxAttempts: 1 };
  if (rateLimit === undefined) return createRedeliveryOfEach(target, sourceOf);
  return limited(rateLimit, createRedelivery(target, sourceOf), context);
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
