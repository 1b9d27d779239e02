import type { Admin, ITopicConfig } from "kafkajs";
import { until } from "../wait.ts";

/**
 * Creates a topic and resolves when all of its partitions have their leader. The broker answers before its metadata list
 * the topic, and kafkajs's own wait fails then.
 */
export async function createKafkaTopic(
  admin: Admin,
  topic: string,
  partitions: number,
  configEntries: ITopicConfig["configEntries"] = [],
): Promise<void> {
  // A topic that was just deleted exists for a moment: then it is not created, and this tries again.
  const topics = [{ topic, numPartitions: partitions, configEntries }];
  await until(() => admin.createTopics({ waitForLeaders: false, topics }), { what: `the topic ${topic}` });
  await until(async () => (await admin.fetchTopicOffsets(topic)).length === partitions, {
    what: `the partitions of ${topic}`,
  });
}
