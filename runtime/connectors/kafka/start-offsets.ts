// Start offsets of a consumer group that nothing reads yet.

import type { Cluster } from "kafkajs";
import type { ComponentContext } from "../../component/component.ts";
import { createAssigner } from "./assigner.ts";
import { createKafka, kafkaErrorType, kafkaFailure } from "./client.ts";
import { createConsumer } from "./group.ts";
import { commitOffsets, createOffsetLookup, outsider, partOf } from "./offsets.ts";
import type { ReaderSettings } from "./reader.ts";
import { waitForCoordinator } from "./rejoining.ts";
import { parseSelection, type Selection } from "./selection.ts";

/** Errors of the coordinator for a group that has members: those commit what they read. */
const hasMembers: ReadonlySet<string | undefined> = new Set([
  "UNKNOWN_MEMBER_ID",
  "ILLEGAL_GENERATION",
  "REBALANCE_IN_PROGRESS",
]);

/**
 * Commits the present end of each partition for which the group has no offset, without joining the group: a member that
 * starts at the latest record would pass over what is written before it joins. Rejects with a `GatewayError` when Kafka does
 * not answer.
 */
export async function commitStartOffsets(settings: ReaderSettings, context: ComponentContext): Promise<void> {
  const { connection, group, findTopics } = settings;
  const kafka = createKafka(connection, context.log);
  const selection = findTopics === undefined ? parseSelection(settings.topics) : undefined;
  const topics = selection?.topics ?? (await findTopics?.(kafka, settings.topics)) ?? [];
  const assigners = settings.balancers.map((balancer) => createAssigner(() => ({}), new Map(), balancer));
  const { consumer, cluster } = createConsumer(kafka, assigners, { groupId: group });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics] });
    await waitForCoordinator(
      () => commitEnds(cluster, group, { topics, partitions: selection?.partitions }),
      context,
    );
  } catch (error) {
    throw kafkaFailure(error, "Kafka does not store where the group begins");
  } finally {
    await consumer.disconnect();
  }
}

async function commitEnds(
  cluster: Cluster,
  group: string,
  {
    topics,
    partitions: chosen,
  }: { topics: readonly string[]; partitions: Selection["partitions"] | undefined },
): Promise<void> {
  const partitions = topics.flatMap((topic) =>
    cluster
      .findTopicPartitionMetadata(topic)
      .map(({ partitionId: partition }) => ({ topic, partition }))
      .filter(({ partition }) => chosen?.get(topic)?.includes(partition) !== false),
  );
  const lookup = createOffsetLookup(cluster, group);
  const committed = await lookup.committed(partitions);
  const fresh = partitions.filter((each) => !committed.has(partOf(each)));
  if (fresh.length === 0) return;
  const ends = await lookup.latest(fresh);
  const offsets = fresh.map((each) => ({ ...each, offset: ends.get(partOf(each)) ?? 0n }));
  try {
    await commitOffsets(cluster, group, outsider, offsets);
  } catch (error) {
    if (!hasMembers.has(kafkaErrorType(error))) throw error;
  }
}
