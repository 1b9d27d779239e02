// The assignors of a group: our own, and those that every Kafka client knows, as Java's `RangeAssignor` and
// `RoundRobinAssignor` compute them.

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
import { type AssignPartitions, type GroupMember, sharePartitions } from "./sharing.ts";

/**
 * `range`: each topic separately, in ranges of adjacent partitions to its subscribers in the order of their ids; the first
 * ones get one more where the ranges cannot be equal. Equal partitions of topics go to the same member.
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

/** `roundrobin`: all partitions one after the other, each to the next member that is subscribed to its topic. */
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

/** An assignor by the name that documents have for it. */
export type Balancer = "sticky" | "range" | "round_robin";

/**
 * The assignors by the names they have in the group protocol. `sticky` is ours: it bears the name and format of
 * kafkajs's own, so that plain kafkajs clients can be in the group, but members may differ in their topics.
 */
const assignors: Readonly<Record<Balancer, { readonly name: string; readonly assign: AssignPartitions }>> = {
  sticky: { name: "RoundRobinAssigner", assign: sharePartitions },
  range: { name: "range", assign: assignRanges },
  round_robin: { name: "roundrobin", assign: assignRoundRobin },
};

/**
 * An assignor as kafkajs takes it. A member names all of its assignors when it joins, and the group uses one that every
 * member named, the first of most members. `owned` tells what this member reads now, `chosen` the only partitions of a
 * topic it wants, where it is alone in the group.
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
      // Members without partitions get an answer, too: other clients take a missing one for a failure.
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
 * What goes along with a member's topics: what it reads, so that it may keep it, and how many partitions
 * it knows. No one reads the latter, but the coordinator assigns anew only for a member that says
 * something new, and a leader that does not read a topic would not notice its new partitions.
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
    return {}; // another client's note, in a form of its own: nothing is known of what it reads
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

/** What ends no membership: the subscribers meet it themselves, and join again when it is over. */
const unreadable = ["UNKNOWN_TOPIC_OR_PARTITION", "INVALID_TOPIC_EXCEPTION", "TOPIC_AUTHORIZATION_FAILED"];

/**
 * The partitions of a topic that this member does not read. Asked of one broker and not through the
 * cluster's list of topics, where a topic that is gone would fail every later look at our own.
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
      // A topic that was just made is unknown to some brokers, and its partitions have no leaders.
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
