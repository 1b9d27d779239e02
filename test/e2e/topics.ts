import { Kafka, logLevel } from "kafkajs";
import { createKafkaTopic } from "../harness/brokers/kafka-topics.ts";
import { Queue } from "../harness/queue.ts";

/** A client of the broker under test, separate from the gateway's own. */
export interface Topics {
  /** Publishes values to a topic. */
  send(topic: string, ...values: readonly string[]): Promise<void>;
  /** Resolves with a queue that receives the values of a topic from its beginning. */
  read(topic: string): Promise<Queue<string>>;
  close(): Promise<void>;
}

/** Creates `topics` from scratch, so that they contain nothing of an earlier run. */
export async function freshTopics(brokers: string, topics: readonly string[]): Promise<Topics> {
  const client = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  const present = await admin.listTopics();
  await admin.deleteTopics({ topics: topics.filter((topic) => present.includes(topic)) });
  await Promise.all(topics.map((topic) => createKafkaTopic(admin, topic, 1)));
  await admin.disconnect();
  const producer = client.producer();
  await producer.connect();
  const consumers: { disconnect(): Promise<void> }[] = [producer];
  return {
    async send(topic, ...values) {
      await producer.send({ topic, messages: values.map((value) => ({ value })) });
    },
    async read(topic) {
      const consumer = client.consumer({
        groupId: `reader-${process.pid}-${topic}-${Date.now()}`,
        maxWaitTimeInMs: 100,
      });
      consumers.push(consumer);
      const values = new Queue<string>();
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({ eachMessage: async ({ message }) => values.push(String(message.value)) });
      return values;
    },
    async close() {
      for (const each of consumers) await each.disconnect();
    },
  };
}
