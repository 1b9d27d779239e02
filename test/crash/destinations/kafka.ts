import { type Consumer, Kafka, logLevel } from "kafkajs";
import type { ProxiedKafka } from "../../harness/brokers/proxied-kafka.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import type { Destination } from "../destination.ts";
import { createTopic, endsOf } from "../kafka-admin.ts";
import { Ledger } from "../ledger.ts";
import { keyExpression, numberOf } from "../source.ts";

const patient = { retries: 1000, initialRetryTime: 100, maxRetryTime: 500 };

/** A topic that is read as it grows. */
export async function kafkaDestination(broker: ProxiedKafka): Promise<Destination> {
  const client = new Kafka({ brokers: [broker.direct], logLevel: logLevel.NOTHING, retry: patient });
  const topic = unique("destination");
  const admin = client.admin();
  await admin.connect();
  await createTopic(admin, topic, 2);
  const ledger = new Ledger();
  const next = new Map<number, number>();

  async function read(): Promise<Consumer> {
    const consumer = client.consumer({ groupId: unique("reader"), maxWaitTimeInMs: 50, retry: patient });
    consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
      console.error(`the reader of the test fails, and is ${restart ? "started again" : "replaced"}`, error);
      if (!restart) reader = read();
    });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        const offset = Number(message.offset);
        // A reader that rejoins after a restart of the broker starts from the beginning; each record counts once.
        if (offset < (next.get(partition) ?? 0)) return;
        next.set(partition, offset + 1);
        ledger.add(numberOf(String(message.value)));
      },
    });
    return consumer;
  }

  let reader = read();
  await reader;
  return {
    output: {
      kafka: {
        addresses: [broker.proxied],
        topic,
        // Messages of one key go to one partition, where the reader can check their order.
        key: keyExpression,
        backoff: { initial_interval: "100ms", max_interval: "1s", max_elapsed_time: "0s" },
      },
    },
    ledger,
    keepsOrder: true,
    async settle() {
      const ends = await endsOf(admin, topic);
      const isRead = () => [...ends].every(([partition, end]) => (next.get(partition) ?? 0) >= end);
      await until(isRead, { timeout: 180_000, what: "the destination to be read" });
    },
    proxy: broker.proxy,
    restart: () => broker.restart(),
    async close() {
      await (await reader).disconnect();
      await admin.disconnect();
    },
  };
}
