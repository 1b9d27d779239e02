// Reads the records of a topic with a plain client.

import type { Kafka } from "kafkajs";
import { installCodecs } from "../../../runtime/connectors/kafka/codecs.ts";
import { Queue } from "../../harness/queue.ts";

/** A record whose fields are text. */
export interface TextRecord {
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly partition: number;
}

/** Returns the first records of a topic. Records of different partitions are in any order. */
export async function readRecords(
  client: Kafka,
  topic: string,
  count: number,
): Promise<readonly TextRecord[]> {
  installCodecs();
  const consumer = client.consumer({ groupId: `records-${topic}`, maxWaitTimeInMs: 100 });
  const records = new Queue<TextRecord>();
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message: { value, headers = {} }, partition }) => {
      const texts = Object.entries(headers).map(([name, header]) => [name, String(header)] as const);
      records.push({ value: String(value), headers: Object.fromEntries(texts), partition });
    },
  });
  const taken = await records.take(count);
  await consumer.disconnect();
  return taken;
}
