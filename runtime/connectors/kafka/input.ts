import type { Cluster } from "kafkajs";
import type { ComponentContext, Input, ReplayInput } from "../../component/component.ts";
import type { Positions } from "../../message/positions.ts";
import { createAssigner } from "./assigner.ts";
import { createKafka, kafkaErrorType, kafkaFailure } from "./client.ts";
import { type KafkaInputOptions, kafkaInputDefaults } from "./generated/input-options.ts";
import { createConsumer } from "./group.ts";
import { commitOffsets, createOffsetLookup, outsider, partOf } from "./offsets.ts";
import { KafkaReader, type ReaderSettings } from "./reader.ts";
import { recordSequence } from "./record.ts";
import { waitForCoordinator } from "./rejoining.ts";
import { parseSelection, type Selection } from "./selection.ts";

/** Errors of the coordinator for a group that has members. Those members commit the offsets themselves. */
const hasMembers: ReadonlySet<string | undefined> = new Set([
  "UNKNOWN_MEMBER_ID",
  "ILLEGAL_GENERATION",
  "REBALANCE_IN_PROGRESS",
]);

/**
 * Commits the current end of each partition for which the group has no offset, without joining the group. Otherwise a
 * member that starts at the latest record would skip records that are written before it joins. Rejects with a
 * `GatewayError` if Kafka does not answer.
 */
async function commitStartOffsets(settings: ReaderSettings, context: ComponentContext): Promise<void> {
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
    throw kafkaFailure(error, "Kafka does not store the start offsets of the group");
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

/**
 * Records of one partition that wait for the client or are being sent to it.
 * Many clients may resume at the same time.
 */
const mostRecords = 64;

/**
 * Returns an input that reads all partitions, each from its position on, without the group and without storing
 * offsets. Records that no longer exist are skipped. A new partition starts with its first record. If no group shares
 * the partitions, a partition without a position counts as new; otherwise it belonged to another member, and starts
 * with new messages.
 */
function replayInput(settings: ReaderSettings, positions: Positions): ReplayInput {
  let reader: KafkaReader | undefined;
  return {
    sequenceOf: recordSequence,
    async start(context) {
      const { group, limit, ahead } = settings;
      const bounds = { limit: Math.min(limit, mostRecords), ahead: Math.min(ahead, mostRecords) };
      reader = new KafkaReader(
        { ...settings, ...bounds, group: "", fromBeginning: group === "", positions },
        context,
      );
      await reader.start();
    },
    async close() {
      await reader?.close();
    },
    undelivered: (isHanded) => reader?.undelivered(isHanded),
    ends: async () => (await reader?.ends()) ?? new Map(),
  };
}

/**
 * Reads records of Kafka topics. Each record is one delivery; the records of a partition are delivered in order.
 * Committed offsets never pass an unconfirmed record. Without `consumer_group`, nothing is committed, and all
 * partitions are read from where `start_from_oldest` says.
 */
export function kafkaInput(options: KafkaInputOptions): Input {
  return readerInput(readerSettings(options));
}

/** Returns an input with these settings. */
export function readerInput(settings: ReaderSettings): Input {
  let reader: KafkaReader | undefined;
  return {
    ...(settings.group !== "" &&
      !settings.fromBeginning && { prepare: (context) => commitStartOffsets(settings, context) }),
    async start(context) {
      reader = new KafkaReader(settings, context);
      await reader.start();
    },
    async close() {
      await reader?.close();
    },
    lag: () => reader?.lag(),
    sequenceOf: recordSequence,
    positions: {
      undelivered: (isHanded, part) => reader?.undelivered(isHanded, part),
      from: (positions) => replayInput(settings, positions),
    },
  };
}

/**
 * Longest time in milliseconds that a fetch waits for records,
 * and that a resumed partition waits to be fetched again.
 */
const maxWait = 100;

function readerSettings(options: KafkaInputOptions): ReaderSettings {
  const settings = { ...kafkaInputDefaults, ...options };
  const group = { ...kafkaInputDefaults.group, ...settings.group };
  return {
    connection: settings,
    topics: settings.topics,
    group: settings.consumer_group,
    membership: {
      sessionTimeout: group.session_timeout,
      heartbeatInterval: group.heartbeat_interval,
      rebalanceTimeout: group.rebalance_timeout,
    },
    balancers: ["sticky", "range", "round_robin"],
    fetching: {
      maxWait,
      metadataMaxAge: 300_000,
      rackId: settings.rack_id,
      readUncommitted: settings.transaction_isolation_level === "read_uncommitted",
    },
    fromBeginning: settings.start_from_oldest,
    limit: settings.checkpoint_limit,
    ahead: settings.fetch_buffer_cap,
    commitPeriod: settings.commit_period,
    replays: settings.auto_replay_nacks,
    multiHeader: settings.multi_header,
  };
}
