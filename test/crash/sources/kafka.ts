import { Kafka, logLevel } from "kafkajs";
import type { ProxiedKafka } from "../../harness/brokers/proxied-kafka.ts";
import { unique } from "../../harness/names.ts";
import { committedOf, createTopic, endsOf } from "../kafka-admin.ts";
import { chunksOf, keyOf, numberOf, type Source } from "../source.ts";

const partitions = 3;
const checkpointLimit = 64;

/** A topic of several partitions, read by a consumer group whose session timeout is `silence`. */
export async function kafkaSource(broker: ProxiedKafka, silence = "60s"): Promise<Source> {
  const client = new Kafka({ brokers: [broker.direct], logLevel: logLevel.NOTHING });
  const [topic, group] = [unique("source"), unique("group")];
  const admin = client.admin();
  await admin.connect();
  await createTopic(admin, topic, partitions);

  const confirmed = () => committedOf(admin, group, topic);
  return {
    input: {
      kafka: {
        addresses: [broker.proxied],
        topics: [topic],
        consumer_group: group,
        checkpoint_limit: checkpointLimit,
        commit_period: "200ms",
        group: { session_timeout: silence, heartbeat_interval: "500ms" },
      },
    },
    keepsOrder: true,
    inFlight: partitions * checkpointLimit,
    async fill(range) {
      const producer = client.producer();
      await producer.connect();
      for (const chunk of chunksOf(range, 1000)) {
        // Takes turns, so that each partition gets its share; the messages of one key are in one partition.
        const messages = chunk.map((value) => {
          const key = keyOf(numberOf(value));
          return { value, key: String(key), partition: key % partitions };
        });
        await producer.send({ topic, messages });
      }
      await producer.disconnect();
    },
    confirmed,
    lapse: "The coordinator is not aware of this member, re-joining",
    async remaining() {
      const ends = await endsOf(admin, topic);
      return [...ends.values()].reduce((sum, end) => sum + end, 0) - (await confirmed());
    },
    cut: () => broker.proxy.reset(),
    restart: () => broker.restart(),
    close: () => admin.disconnect(),
  };
}
