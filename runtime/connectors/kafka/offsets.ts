import type { Broker, Cluster } from "kafkajs";
import { GatewayError } from "../../errors.ts";

/** A partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** By `partOf`. */
export type PartOffsets = ReadonlyMap<string, bigint>;

/** One word for a partition: `3 orders`. A topic's name holds no blank. */
export function partOf({ topic, partition }: TopicPartition): string {
  return `${partition} ${topic}`;
}

/** What the brokers know of partitions. All of it rejects where not every partition is answered for. */
export interface OffsetLookup {
  /** What the group has committed; a partition without is not in it. */
  committed(partitions: readonly TopicPartition[]): Promise<PartOffsets>;
  /** Of the oldest record that is still there. */
  earliest(partitions: readonly TopicPartition[]): Promise<PartOffsets>;
  /** After the newest record that may be read. */
  latest(partitions: readonly TopicPartition[]): Promise<PartOffsets>;
}

/** Asks over the connections that the members of `groupId` have. */
export function createOffsetLookup(cluster: Cluster, groupId: string): OffsetLookup {
  return {
    async committed(partitions) {
      const topics = byTopic(partitions).map(([topic, ofTopic]) => ({
        topic,
        partitions: ofTopic.map(({ partition }) => ({ partition, offset: "" })),
      }));
      const coordinator = await cluster.findGroupCoordinator({ groupId });
      const { responses } = await coordinator.offsetFetch({ groupId, topics });
      const offsets = readAnswer(responses, partitions);
      return new Map([...offsets].filter(([, offset]) => offset >= 0n));
    },
    earliest: (partitions) => findEnds(cluster, partitions, true),
    latest: (partitions) => findEnds(cluster, partitions, false),
  };
}

/** A member of a group, as of one of its generations. */
export interface GroupMembership {
  readonly memberId: string;
  readonly generationId: number;
}

/** Who commits for a group without being a member of it, which the group allows while it has none. */
export const outsider: GroupMembership = { memberId: "", generationId: -1 };

/** Commits offsets for a group, in one attempt. Rejects where that fails, also for a member of an earlier generation. */
export async function commitOffsets(
  cluster: Cluster,
  groupId: string,
  { memberId, generationId: groupGenerationId }: GroupMembership,
  offsets: readonly (TopicPartition & { readonly offset: bigint })[],
): Promise<void> {
  const topics = byTopic(offsets).map(([topic, ofTopic]) => ({
    topic,
    partitions: ofTopic.map(({ partition, offset }) => ({ partition, offset: String(offset) })),
  }));
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  await coordinator.offsetCommit({ groupId, groupGenerationId, memberId, topics });
}

/**
 * Takes a member out of its group. The coordinator would wait for its signs of life before it lets others in.
 * Rejects when that fails, also where the group does not know it any more.
 */
export async function leaveGroup(cluster: Cluster, groupId: string, memberId: string): Promise<void> {
  const coordinator: Broker & Partial<Leaving> = await cluster.findGroupCoordinator({ groupId });
  await coordinator.leaveGroup?.({ groupId, memberId });
}

/** What brokers of kafkajs do and its types do not tell. */
interface Leaving {
  leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>;
}

async function findEnds(
  cluster: Cluster,
  partitions: readonly TopicPartition[],
  fromBeginning: boolean,
): Promise<PartOffsets> {
  if (partitions.length === 0) return new Map();
  const topics = byTopic(partitions).map(([topic, ofTopic]) => ({
    topic,
    partitions: ofTopic.map(({ partition }) => ({ partition })),
    fromBeginning,
  }));
  return readAnswer(await cluster.fetchTopicsOffset(topics), partitions);
}

function byTopic<T extends TopicPartition>(partitions: readonly T[]): [string, T[]][] {
  return [...Map.groupBy(partitions, ({ topic }) => topic)];
}

interface AnsweredTopic {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
}

/** kafkajs passes over partitions without a leader, and over a coordinator that is not ready. */
function readAnswer(answer: readonly AnsweredTopic[], asked: readonly TopicPartition[]): PartOffsets {
  const offsets = new Map(
    answer.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [partOf({ topic, partition }), BigInt(offset)] as const),
    ),
  );
  const missing = asked.find((each) => !offsets.has(partOf(each)));
  if (missing === undefined) return offsets;
  throw new GatewayError(502, `Kafka does not tell of partition ${missing.partition} of ${missing.topic}`);
}
