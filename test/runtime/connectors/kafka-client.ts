// What tests prepare topics by, and look by at what became of them.

import { type Admin, Kafka, logLevel, type Producer } from "kafkajs";
import { until } from "../../harness/wait.ts";

/** A client of the broker at an address, past everything that is tested. */
export interface KafkaClient {
  readonly client: Kafka;
  readonly admin: Admin;
  readonly producer: Producer;
  /** Makes a topic, and gives its name once its partitions are there. */
  createTopic(topic: string, partitions?: number): Promise<string>;
  close(): Promise<void>;
}

/** Connects to the broker at `HOST:PORT`. */
export async function connectKafka(address: string): Promise<KafkaClient> {
  const client = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });
  const [admin, producer] = [client.admin(), client.producer()];
  await Promise.all([admin.connect(), producer.connect()]);
  return {
    client,
    admin,
    producer,
    async createTopic(topic, partitions = 1) {
      await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: partitions }] });
      // kafkajs's own wait fails where the metadata of a fresh topic lag behind.
      await until(async () => (await admin.fetchTopicOffsets(topic)).length === partitions);
      return topic;
    },
    async close() {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}
