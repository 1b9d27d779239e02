import type { Broker, Cluster } from "kafkajs";
import { GatewayError } from "../../errors.ts";

/** A partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Offsets by `partOf`. */
export type PartOffsets = ReadonlyMap<string, bigint>;

/** Returns one string for a partition, such as `3 orders`. The name of a topic has no space. */
export function partOf({ topic, partition }: TopicPartition): string {
  return `${partition} ${topic}`;
}

/** Looks up offsets at the brokers. Each method rejects if the offset of any partition is missing in the responses. */
export interface OffsetLookup {
  /** The offsets that the group has committed; without the partitions for which it has none. */
  committed(partitions: readonly TopicPartition[]): Promise<PartOffsets>;
  /** The offset of the oldest record that still exists. */
  earliest(partitions: readonly TopicPartition[]): Promise<PartOffsets>;
  /** The offset after the newest record that may be read. */
  latest(partitions: readonly TopicPartition[]): Promise<PartOffsets>;
}

/** Returns a lookup that uses the connections of the members of `groupId`. */
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

/** A member of a group in one of its generations. */
export interface GroupMembership {
  readonly memberId: string;
  readonly generationId: number;
}

/** The identity for commits without a membership, which a group accepts while it has no members. */
export const outsider: GroupMembership = { memberId: "", generationId: -1 };

/**
 * Commits offsets for a group, in one attempt.
 * Rejects if that fails, for example for a member of an earlier generation.
 */
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
 * Removes a member from its group; otherwise the coordinator would wait for its heartbeat before it admits others.
 * Rejects if that fails, for example because the group no longer knows the member.
 */
export async function leaveGroup(cluster: Cluster, groupId: string, memberId: string): Promise<void> {
  const coordinator: Broker & Partial<Leaving> = await cluster.findGroupCoordinator({ groupId });
  await coordinator.leaveGroup?.({ groupId, memberId });
}

/** A method of kafkajs brokers that the types of kafkajs leave out. */
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

/** Throws if an offset is missing: kafkajs skips partitions without a leader, and a coordinator that is not ready. */
function readAnswer(answer: readonly AnsweredTopic[], requested: readonly TopicPartition[]): PartOffsets {
  const offsets = new Map(
    answer.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [partOf({ topic, partition }), BigInt(offset)] as const),
    ),
  );
  const missing = requested.find((each) => !offsets.has(partOf(each)));
  if (missing === undefined) return offsets;
  throw new GatewayError(502, `Kafka does not report partition ${missing.partition} of ${missing.topic}`);
}
