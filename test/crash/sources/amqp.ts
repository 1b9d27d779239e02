import type { ConfirmChannel } from "amqplib";
import { startRabbitmq } from "../../harness/brokers/rabbitmq.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { connectRabbitmq } from "../../harness/rabbitmq-client.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { chunksOf, type Source } from "../source.ts";

const prefetch = 100;
const queue = "numbers";

/** A durable queue of RabbitMQ with persistent messages. */
export async function amqpSource(): Promise<Source> {
  const place = { port: await freePort(), directory: temporaryDirectory("rabbitmq") };
  const proxy = await startTcpProxy(place.port);
  let broker = await startRabbitmq(place);

  /** Opens a connection for one task, so that none is open while the broker restarts. */
  async function withChannel<T>(use: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
    const connection = await connectRabbitmq(broker.address);
    const result = await use(await connection.createConfirmChannel());
    await connection.close();
    return result;
  }

  await withChannel((channel) => channel.assertQueue(queue, { durable: true }));
  /** Returns the number of messages ready in the queue, without those that a consumer has not confirmed yet. */
  const ready = () => withChannel(async (channel) => (await channel.checkQueue(queue)).messageCount);
  return {
    input: {
      amqp_0_9: { urls: [`amqp://127.0.0.1:${proxy.port}`], queue, prefetch_count: prefetch },
    },
    inFlight: prefetch,
    fill: (range) =>
      withChannel(async (channel) => {
        for (const chunk of chunksOf(range, 500)) {
          for (const message of chunk) channel.sendToQueue(queue, Buffer.from(message), { persistent: true });
          await channel.waitForConfirms();
        }
      }),
    remaining: ready,
    // The broker requeues the messages of a killed gateway. They must be consumed before the gateway stops.
    givenAgain: async () => {
      await until(async () => (await ready()) === 0).catch(() => undefined);
    },
    cut: () => proxy.reset(),
    async restart() {
      await broker.stop();
      broker = await startRabbitmq(place);
    },
    async close() {
      await broker.stop();
      await proxy.close();
    },
  };
}
