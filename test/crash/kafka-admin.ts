import type { Admin } from "kafkajs";
import { until } from "../harness/wait.ts";

// Milliseconds. Each request is retried until a broker that has just restarted answers it.
const patience = 120_000;

/** Creates a topic and waits until it can be used. */
export async function createTopic(admin: Admin, topic: string, numPartitions: number): Promise<void> {
  await admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: false });
  const isUsable = async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics.flatMap((each) => each.partitions);
    return partitions.length === numPartitions && partitions.every(({ leader }) => leader >= 0);
  };
  await until(isUsable, { timeout: patience, what: `the topic ${topic}` });
}

/** Returns the offset after the last record of each partition. */
export async function endsOf(admin: Admin, topic: string): Promise<ReadonlyMap<number, number>> {
  const ends = await until(() => admin.fetchTopicOffsets(topic), { timeout: patience, what: "the offsets" });
  return new Map(ends.map(({ partition, high }) => [partition, Number(high)]));
}

/** Returns the number of records of a topic that a group has committed. */
export async function committedOf(admin: Admin, groupId: string, topic: string): Promise<number> {
  const answer = await until(() => admin.fetchOffsets({ groupId, topics: [topic] }), {
    timeout: patience,
    what: "the committed offsets",
  });
  // -1 means that nothing was committed for the partition yet.
  return (answer[0]?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
}
