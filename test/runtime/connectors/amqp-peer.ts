import type { Channel, ConsumeMessage } from "amqplib";
import { GatewayError } from "../../../runtime/errors.ts";
import { rabbitmq } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { Queue } from "../../harness/queue.ts";
import { connectRabbitmq } from "../../harness/rabbitmq-client.ts";
import { until } from "../../harness/wait.ts";

/** Starts RabbitMQ and connects a second client, with which tests inspect the queues. */
export async function amqpPeer() {
  const broker = await rabbitmq();
  const peer = await connectRabbitmq(broker.address);
  const channel = await peer.createConfirmChannel();
  const counted = async (queue: string) => (await channel.checkQueue(queue)).messageCount;
  return {
    urls: [broker.address],
    peer,
    channel,
    counted,
    emptied: (queue: string) => until(async () => (await counted(queue)) === 0, { what: "an empty queue" }),

    /** Creates a queue for one test. */
    async newQueue(options: object = {}): Promise<string> {
      const { queue } = await channel.assertQueue(unique("orders"), { durable: true, ...options });
      return queue;
    },

    async send(queue: string, ...texts: readonly string[]): Promise<void> {
      for (const text of texts) channel.sendToQueue(queue, Buffer.from(text));
      await channel.waitForConfirms();
    },

    /** Returns the messages that arrive at a queue, as another client receives them. */
    async reader(queue: string, from: Channel = channel): Promise<Queue<ConsumeMessage>> {
      const messages = new Queue<ConsumeMessage>();
      await from.consume(queue, (message) => message !== null && messages.push(message), { noAck: true });
      return messages;
    },

    async stop(): Promise<void> {
      await peer.close();
      await broker.stop();
    },
  };
}

/** Returns why an attempt failed, from its `GatewayError`. */
export const reasonOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => "it went well",
    (error: unknown) => (error instanceof GatewayError ? error.message : `unknown: ${String(error)}`),
  );
