import { Kafka, logLevel } from "kafkajs";
import type { ProxiedKafka } from "../../harness/brokers/proxied-kafka.ts";
import { unique } from "../../harness/names.ts";
import { chunksOf, type Source } from "../source.ts";

const partitions = 3;
const checkpointLimit = 256;

/** A topic of several partitions, read by a group. */
export async function kafkaSource(broker: ProxiedKafka): Promise<Source> {
  const client = new Kafka({ brokers: [broker.direct], logLevel: logLevel.NOTHING });
  const [topic, group] = [unique("source"), unique("group")];
  const admin = client.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: partitions }], waitForLeaders: true });

  async function committed(): Promise<number> {
    const [offsets] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    // -1 stands for a partition of which nothing was committed yet.
    return (offsets?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
  }

  return {
    input: {
      kafka: {
        addresses: [broker.proxied],
        topics: [topic],
        consumer_group: group,
        checkpoint_limit: checkpointLimit,
        commit_period: "200ms",
      },
    },
    inFlight: partitions * checkpointLimit,
    async fill(total) {
      const producer = client.producer();
      await producer.connect();
      for (const chunk of chunksOf(total, 1000)) {
        // By turns, so that each partition has its share.
        const messages = chunk.map((value, index) => ({ value, partition: index % partitions }));
        await producer.send({ topic, messages });
      }
      await producer.disconnect();
    },
    confirmed: committed,
    async remaining() {
      const offsets = await admin.fetchTopicOffsets(topic);
      return offsets.reduce((sum, { high }) => sum + Number(high), 0) - (await committed());
    },
    cut: () => broker.proxy.reset(),
    restart: () => broker.restart(),
    close: () => admin.disconnect(),
  };
}
