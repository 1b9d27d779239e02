// A client of Kafka with which tests prepare topics and inspect them.

import { type Admin, Kafka, logLevel, type Producer } from "kafkajs";
import { createKafkaTopic } from "../../harness/brokers/kafka-topics.ts";

/** A client that connects directly to the broker, without the code under test. */
export interface KafkaClient {
  readonly client: Kafka;
  readonly admin: Admin;
  readonly producer: Producer;
  /** Creates a topic and resolves with its name when its partitions exist. */
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
      await createKafkaTopic(admin, topic, partitions);
      return topic;
    },
    async close() {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}
