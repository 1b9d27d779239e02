// The assignors of a consumer group: Sluice's own, and those that every Kafka client knows, computed as Java's
// `RangeAssignor` and `RoundRobinAssignor` do.

import { setTimeout as sleep } from "node:timers/promises";
import {
  AssignerProtocol,
  type Assignment,
  type Broker,
  type Cluster,
  type Logger,
  type PartitionAssigner,
} from "kafkajs";
import { createBackoff } from "../../concurrency/backoff.ts";
import { GatewayError } from "../../errors.ts";
import { kafkaErrorType } from "./client.ts";
/**
 * `range`: splits each topic on its own into ranges of adjacent partitions and assigns them to its subscribers in the
 * order of their ids. If the ranges cannot be equal, the first subscribers get one partition more. Partitions of
 * different topics with the same number go to the same member.
 */
export const assignRanges: AssignPartitions = (members, topics) => {
  const shares = emptyShares(members);
  for (const [topic, partitions] of topics) {
    const subscribers = inOrder(members).filter((member) => member.topics.includes(topic));
    const sorted = partitions.toSorted((a, b) => a - b);
    const [least, longer] = [
      Math.floor(sorted.length / subscribers.length),
      sorted.length % subscribers.length,
    ];
    for (const [index, { id }] of subscribers.entries()) {
      const start = index * least + Math.min(index, longer);
      const run = sorted.slice(start, start + least + (index < longer ? 1 : 0));
      if (run.length > 0) shares.set(id, { ...shares.get(id), [topic]: run });
    }
  }
  return shares;
};

/** `roundrobin`: assigns all partitions in turn, each to the next member that is subscribed to its topic. */
export const assignRoundRobin: AssignPartitions = (members, topics) => {
  const shares = emptyShares(members);
  const circle = inOrder(members);
  let next = 0;
  for (const [topic, partitions] of [...topics].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const partition of partitions.toSorted((a, b) => a - b)) {
      const turns = circle.map((_, index) => (next + index) % circle.length);
      const turn = turns.find((index) => circle[index]?.topics.includes(topic));
      const member = turn === undefined ? undefined : circle[turn];
      if (turn === undefined || member === undefined) break; // no member subscribes to the topic
      const share = shares.get(member.id) ?? {};
      shares.set(member.id, { ...share, [topic]: [...(share[topic] ?? []), partition] });
      next = (turn + 1) % circle.length;
    }
  }
  return shares;
};

type Members = Parameters<AssignPartitions>[0];

function emptyShares(members: Members): ReturnType<AssignPartitions> {
  return new Map(members.map(({ id }) => [id, {}]));
}

function inOrder(members: Members): Members {
  return members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The name of an assignor in documents. */
export type Balancer = "sticky" | "range" | "round_robin";

/**
 * The assignors and their names in the group protocol. `sticky` is Sluice's own. It uses the name and the format of
 * the default assignor of kafkajs, so that plain kafkajs clients can be in the same group, but its members may
 * subscribe to different topics.
 */
const assignors: Readonly<Record<Balancer, { readonly name: string; readonly assign: AssignPartitions }>> = {
  sticky: { name: "RoundRobinAssigner", assign: sharePartitions },
  range: { name: "range", assign: assignRanges },
  round_robin: { name: "roundrobin", assign: assignRoundRobin },
};

/**
 * Returns an assignor for kafkajs. A member names all of its assignors when it joins, and the group uses one that
 * every member named: the first choice of most members. `owned`: returns what this member reads now. `chosen`: the
 * only partitions of a topic to read, for a member that is alone in its group.
 */
export function createAssigner(
  owned: () => Assignment,
  chosen: ReadonlyMap<string, readonly number[]> = new Map(),
  balancer: Balancer = "sticky",
): PartitionAssigner {
  const { name, assign: assignPartitions } = assignors[balancer];
  return ({ cluster, groupId, logger }) => ({
    name,
    version,
    protocol({ topics }) {
      const metadata = { version, topics, userData: encodeNote(owned(), topics, cluster) };
      return { name, metadata: AssignerProtocol.MemberMetadata.encode(metadata) };
    },
    async assign({ members: described, topics: ownTopics }) {
      const members = described.map(decodeMember);
      const partitions = new Map(
        ownTopics.map((topic) => [topic, choose(topic, knownPartitions(cluster, topic), chosen.get(topic))]),
      );
      const foreign = new Set(
        members.flatMap(({ topics }) => topics).filter((name) => !partitions.has(name)),
      );
      if (foreign.size > 0) {
        const broker = await cluster.findGroupCoordinator({ groupId });
        const lookUp = async (topic: string) =>
          partitions.set(topic, await findPartitions(broker, topic, logger));
        await Promise.all([...foreign].map(lookUp));
      }
      // Members without partitions also get an assignment: other clients treat a missing one as a failure.
      return [...assignPartitions(members, partitions)].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: encodeAssignment(assignment),
      }));
    },
  });
}

const version = 0;

function encodeAssignment(assignment: Assignment, userData = Buffer.alloc(0)): Buffer {
  return AssignerProtocol.MemberAssignment.encode({ version, assignment, userData });
}

/**
 * Encodes the user data of a member: the partitions that it reads, so that it can keep them, and the number of
 * partitions that it knows. No member reads these numbers. They exist because the coordinator starts a rebalance only
 * if the data of a member changed, and a leader that does not read a topic would not notice its new partitions.
 */
function encodeNote(owned: Assignment, topics: readonly string[], cluster: Cluster): Buffer {
  const counts = topics.map((topic) => [topic, knownPartitions(cluster, topic).length]);
  return encodeAssignment(owned, Buffer.from(JSON.stringify(counts)));
}

function decodeMember({
  memberId,
  memberMetadata,
}: {
  memberId: string;
  memberMetadata: Buffer;
}): GroupMember {
  const metadata = AssignerProtocol.MemberMetadata.decode(memberMetadata);
  return { id: memberId, topics: metadata?.topics ?? [], owned: decodeOwned(metadata?.userData) };
}

function decodeOwned(note: Buffer | null | undefined): Assignment {
  if (!note?.length) return {};
  try {
    return AssignerProtocol.MemberAssignment.decode(note)?.assignment ?? {};
  } catch {
    return {}; // another client's note has its own format: assume that the member owns nothing
  }
}

function choose(
  topic: string,
  known: readonly number[],
  chosen: readonly number[] | undefined,
): readonly number[] {
  const missing = chosen?.filter((partition) => !known.includes(partition)) ?? [];
  if (missing.length > 0)
    throw new GatewayError(502, `The topic ${topic} has no partition ${missing.join(", ")}`);
  return chosen ?? known;
}

function knownPartitions(cluster: Cluster, topic: string): number[] {
  return cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
}

const attempts = 5;

/**
 * Errors that do not end a membership: the subscribers of the topic meet them too, and join again when they are over.
 */
const unreadable = ["UNKNOWN_TOPIC_OR_PARTITION", "INVALID_TOPIC_EXCEPTION", "TOPIC_AUTHORIZATION_FAILED"];

/**
 * Returns the partitions of a topic that this member does not read. Asks one broker directly: if the topic were in the
 * topic list of the cluster and did not exist any longer, every later lookup of this member's own topics would fail.
 */
async function findPartitions(broker: Broker, topic: string, logger: Logger): Promise<number[]> {
  const backoff = createBackoff({ first: 100, longest: 1000 });
  for (let attempt = 1; ; attempt++) {
    try {
      const { topicMetadata } = await broker.metadata([topic]);
      return topicMetadata.flatMap(({ partitionMetadata }) =>
        partitionMetadata.map(({ partitionId }) => partitionId),
      );
    } catch (error) {
      const kind = kafkaErrorType(error);
      // Some brokers do not know a topic that was just created, and its partitions have no leaders yet.
      const passes = kind === "UNKNOWN_TOPIC_OR_PARTITION" || kind === "LEADER_NOT_AVAILABLE";
      if (passes && attempt < attempts) await sleep(backoff.next());
      else if (kind === undefined || !unreadable.includes(kind)) throw error;
      else {
        logger.error(`No member of the group can read the topic ${topic} now`, { error });
        return [];
      }
    }
  }
}

/** A member of a consumer group: the topics it subscribes to, and the partitions it has read so far. */
export interface GroupMember {
  readonly id: string;
  readonly topics: readonly string[];
  /** Partitions by topic. Invalid claims are ignored. */
  readonly owned: PartitionsByTopic;
}

type PartitionsByTopic = Readonly<Record<string, readonly number[]>>;

/**
 * Distributes the partitions of topics.
 * Returns the partitions of each member, by member id; `{}` for a member without any.
 */
export type AssignPartitions = (
  members: readonly GroupMember[],
  topics: ReadonlyMap<string, readonly number[]>,
) => Map<string, Record<string, number[]>>;

/**
 * Assigns each partition to one of the members that are subscribed to its topic, and returns the partitions of each
 * member. Members keep their partitions as far as balance allows: in the result, no partition could move to a member
 * that has at least two fewer. Partitions without a subscriber are left out. The result does not depend on the order
 * of members and topics.
 */
export function sharePartitions(
  members: readonly GroupMember[],
  topics: ReadonlyMap<string, readonly number[]>,
): Map<string, Record<string, number[]>> {
  const holders = members.map(({ id, owned }) => ({ id, owned, held: 0 })).toSorted(by(({ id }) => id));
  const subscriptions = new Map(members.map(({ id, topics: subscribed }) => [id, new Set(subscribed)]));
  const pieces = [...topics].toSorted(by(([topic]) => topic)).flatMap(([topic, partitions]) => {
    const subscribers = holders.filter(({ id }) => subscriptions.get(id)?.has(topic));
    return partitions.toSorted(by(Number)).map((partition): Piece => ({ topic, partition, subscribers }));
  });
  keepOwned(pieces, holders);
  for (const piece of pieces) if (piece.holder === undefined) passOn(piece);
  // In the order of partition numbers, so that the partitions that move are not all of one topic.
  const acrossTopics = pieces.toSorted(by(({ partition }) => partition));
  while (acrossTopics.filter(passOn).length > 0);
  return new Map(holders.map((holder) => [holder.id, sharesOf(holder, pieces)]));
}

interface Holder {
  readonly id: string;
  readonly owned: PartitionsByTopic;
  held: number;
}

interface Piece {
  readonly topic: string;
  readonly partition: number;
  readonly subscribers: readonly Holder[];
  holder?: Holder;
}

/** If several members claim the same partition, because one of them was away, the first one keeps it. */
function keepOwned(pieces: readonly Piece[], holders: readonly Holder[]): void {
  const known = new Map(pieces.map((piece) => [keyOf(piece.topic, piece.partition), piece]));
  for (const holder of holders) {
    for (const [topic, partitions] of Object.entries(holder.owned)) {
      for (const partition of partitions) {
        const piece = known.get(keyOf(topic, partition));
        if (piece?.holder === undefined && piece?.subscribers.includes(holder)) hand(piece, holder);
      }
    }
  }
}

/** Moves the piece to the subscriber that holds the fewest, if that improves the balance. Returns whether it moved. */
function passOn(piece: Piece): boolean {
  const [first, ...others] = piece.subscribers;
  if (first === undefined) return false;
  const lightest = others.reduce((least, other) => (other.held < least.held ? other : least), first);
  if (piece.holder !== undefined && piece.holder.held <= lightest.held + 1) return false;
  hand(piece, lightest);
  return true;
}

function hand(piece: Piece, holder: Holder): void {
  if (piece.holder !== undefined) piece.holder.held -= 1;
  piece.holder = holder;
  holder.held += 1;
}

function sharesOf(holder: Holder, pieces: readonly Piece[]): Record<string, number[]> {
  const shares = new Map<string, number[]>();
  for (const { topic, partition, holder: current } of pieces) {
    if (current !== holder) continue;
    const partitions = shares.get(topic) ?? [];
    shares.set(topic, partitions);
    partitions.push(partition);
  }
  return Object.fromEntries(shares);
}

function keyOf(topic: string, partition: number): string {
  return `${partition} ${topic}`;
}

/** Compares items by a key; text by code units, so that every member computes the same order. */
function by<T, K extends string | number>(keyOfItem: (item: T) => K): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [keyOfItem(a), keyOfItem(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}
