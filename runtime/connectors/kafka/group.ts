import type {
  Assigner,
  Assignment,
  Cluster,
  Consumer,
  ConsumerConfig,
  Kafka,
  PartitionAssigner,
} from "kafkajs";
import consumerOfClient from "kafkajs/src/consumer/index.js";
import { type Balancer, createAssigner } from "./assigner.ts";
import { kafkaUnreachable } from "./client.ts";
import { commitOffsets, createOffsetLookup, leaveGroup, type OffsetLookup, outsider } from "./offsets.ts";
import type { ReadRecord } from "./record.ts";
import { type Rejoining, readWhileJoining } from "./rejoining.ts";

/**
 * Times in milliseconds: how long a silent member stays, its signs of life, and the wait for others. The
 * answer to a heartbeat tells a member that another wants to join, which waits that long.
 */
export interface Membership {
  readonly sessionTimeout: number;
  readonly heartbeatInterval: number;
  readonly rebalanceTimeout: number;
}

/** Longest pause between signs of life, in milliseconds: as long as partitions of a member that left may stay unread. */
const longestInterval = 500;

/** Longest wait of a fetch, in milliseconds: as long a member may take to leave, or to see what its group assigns. */
const longestWait = 250;

/** How records are fetched. */
export interface FetchSettings {
  /** Milliseconds that a broker waits for records. */
  readonly maxWait: number;
  /** Bytes of one answer, and of one partition in it; the client's own where absent. */
  readonly maxBytes?: number;
  readonly maxBytesPerPartition?: number;
  /** Milliseconds after which topics and partitions are looked at anew. */
  readonly metadataMaxAge: number;
  /** Where this process stands; records come from a replica there. */
  readonly rackId: string;
  /** Whether records of transactions are read that are not committed. */
  readonly readUncommitted: boolean;
}

/** What a member of a group asks for. */
export interface GroupOptions {
  readonly groupId: string;
  /** The group whose offsets are read and committed, where that is not the one that is joined. */
  readonly storedFor?: string | undefined;
  /** Who this was in a membership that was lost: it leaves first, or the others would wait for it. */
  readonly formerMember: string | undefined;
  readonly topics: readonly string[];
  /** The assignors it offers, in the order of its preference. */
  readonly balancers: readonly Balancer[];
  /** Of some topics, the only partitions to read; for a member that is alone in its group. */
  readonly partitions: ReadonlyMap<string, readonly number[]>;
  /** Where to begin without a committed offset. */
  readonly fromBeginning: boolean;
  readonly membership: Membership;
  readonly fetching: FetchSettings;
}

/** An offset to commit: that of the next message to read. */
export interface CommitOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** A membership in a consumer group, from its first join until `close` or its loss. */
export interface GroupSession {
  readonly offsets: OffsetLookup;
  /** How many partitions a topic has that is read, as far as this member knows. */
  partitionCount(topic: string): number;
  pause(topic: string, partition: number): void;
  resume(topic: string, partition: number): void;
  /** Fetches nothing more, and stays a member. */
  pauseAll(): void;
  /** Goes on reading at `offset`. */
  seek(topic: string, partition: number, offset: bigint): void;
  /** In one attempt, as a member of the present generation. */
  commit(offsets: readonly CommitOffset[]): Promise<void>;
  /** Leaves the group and disconnects. */
  close(): Promise<void>;
}

/** What happens to a membership. */
export interface GroupEvents {
  /** Partitions were assigned. A member that was never thrown out keeps its `memberId`. */
  joined(session: GroupSession, memberId: string, partitions: Readonly<Record<string, number[]>>): void;
  /** Nothing more comes from the same broker before it has resolved. What is not accepted is fetched again. */
  fetched(batch: FetchedBatch): Promise<void>;
  /** The group is about to assign anew; reading goes on and commits count until `assigning`. */
  rebalancing(session: GroupSession): void;
  /** All members have joined, and others may be given what this one reads; `joined` follows. */
  assigning(): void;
  /** The session is over and will not come back. */
  lost(error: Error): void;
}

/** Messages of one partition; none where all that was there is not for readers. */
export interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly highWatermark: bigint;
  readonly messages: readonly ReadRecord[];
  /** After the last of them, and after marks of transactions that follow it. */
  readonly next: bigint;
  /** Has the client go on there. */
  accept(): void;
  /** Whether reading has been sent elsewhere since this was fetched. */
  isStale(): boolean;
}

/** Connects and joins. Rejects with a `GatewayError`, and leaves nothing open, when either fails. */
export async function joinGroup(
  kafka: Kafka,
  options: GroupOptions,
  events: GroupEvents,
): Promise<GroupSession> {
  let owned: Assignment = {};
  const { groupId, membership, fetching, balancers, partitions, formerMember } = options;
  const { maxWait, ...fetchOptions } = fetching;
  const createAssigners = () =>
    balancers.map((balancer) => createAssigner(() => owned, partitions, balancer));
  const config = {
    groupId,
    maxWaitTimeInMs: Math.min(maxWait, longestWait),
    ...fetchOptions,
    ...membership,
    heartbeatInterval: 0, // after each fetch; `readWhileJoining` passes on what is due
  };
  const { consumer, cluster, protocols } = createConsumer(kafka, createAssigners(), config);
  const rejoining = readWhileJoining(cluster, {
    groupId,
    interval: Math.min(membership.heartbeatInterval, longestInterval),
    protocols: () => protocols(options.topics),
    openCluster: () => createConsumer(kafka, createAssigners(), { groupId }).cluster,
    began: () => events.rebalancing(session),
    complete: () => events.assigning(),
  });
  const session = createSession(consumer, cluster, options, rejoining);
  let joined = false;
  let crash: Error | undefined;
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    joined = true;
    owned = payload.memberAssignment;
    events.joined(session, payload.memberId, payload.memberAssignment);
  });
  consumer.on(consumer.events.REBALANCING, () => events.assigning());
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    crash = payload.error;
    rejoining.end().catch(() => undefined); // the connection that was lost is reported
    if (joined) events.lost(payload.error);
  });
  consumer.on(consumer.events.START_BATCH_PROCESS, ({ payload }) => {
    // What holds nothing for readers, such as an aborted transaction, shows in this event alone.
    if (payload.batchSize > 0) return;
    const { topic, partition, highWatermark, lastOffset } = payload;
    const next = BigInt(lastOffset) + 1n;
    const watermark = BigInt(highWatermark);
    // The client continues without help.
    const accept = () => undefined;
    // The client does not report stale records here.
    const isStale = () => false;
    const passed = { topic, partition, messages: [], highWatermark: watermark, next, accept, isStale };
    events.fetched(passed).catch(() => undefined); // the membership gets the failure
  });
  try {
    await consumer.connect();
    // The member may have left already, or cannot be reached: then the group waits for its session to expire, as usual.
    if (formerMember !== undefined) await leaveGroup(cluster, groupId, formerMember).catch(() => undefined);
    await consumer.subscribe({ topics: [...options.topics], fromBeginning: options.fromBeginning });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => takeBatch(payload, events),
    });
    if (!joined) throw crash ?? new Error("the consumer stopped before it had joined");
    return session;
  } catch (error) {
    await rejoining.end();
    await consumer.disconnect();
    throw kafkaUnreachable(error, "Kafka cannot be read from", options.topics);
  }
}

async function takeBatch(
  { batch, resolveOffset, heartbeat, isStale }: Parameters<NonNullable<ConsumerRun["eachBatch"]>>[0],
  events: GroupEvents,
): Promise<void> {
  const { topic, partition, messages } = batch;
  const last = messages.at(-1);
  if (last !== undefined) {
    const next = BigInt(batch.lastOffset()) + 1n;
    const highWatermark = BigInt(batch.highWatermark);
    // Before the heartbeat, whose failure would have the batch fetched again.
    const accept = () => resolveOffset(last.offset);
    await events.fetched({ topic, partition, messages, highWatermark, next, accept, isStale });
  }
  await heartbeat();
}

type ConsumerRun = NonNullable<Parameters<Consumer["run"]>[0]>;

/**
 * A consumer, what it knows the brokers by, which kafkajs shows to assigners alone, and what it offers its group as a subscriber of
 * topics.
 */
export function createConsumer(
  kafka: Pick<Kafka, "consumer">,
  assigners: readonly PartitionAssigner[],
  config: ConsumerConfig,
): KafkaConsumer {
  let cluster: Cluster | undefined;
  const made: Assigner[] = [];
  // In a bundle the client has none of its own, so that what only writes comes without it.
  Reflect.set(kafka, "createConsumer", consumerOfClient);
  const consumer = kafka.consumer({
    ...config,
    partitionAssigners: assigners.map((assigner) => (given) => {
      cluster = given.cluster;
      const one = assigner(given);
      made.push(one);
      return one;
    }),
  });
  if (cluster === undefined) throw new Error("kafkajs makes its assigners later than it did");
  const protocols = (topics: readonly string[]) => made.map((one) => one.protocol({ topics: [...topics] }));
  return { consumer, cluster, protocols };
}

interface KafkaConsumer {
  readonly consumer: Consumer;
  readonly cluster: Cluster;
  protocols(topics: readonly string[]): readonly unknown[];
}

function createSession(
  consumer: Consumer,
  cluster: Cluster,
  { topics, groupId, storedFor }: GroupOptions,
  rejoining: Rejoining,
): GroupSession {
  return {
    offsets: createOffsetLookup(cluster, storedFor ?? groupId),
    partitionCount: (topic) => cluster.findTopicPartitionMetadata(topic).length,
    pause: (topic, partition) => consumer.pause([{ topic, partitions: [partition] }]),
    resume: (topic, partition) => consumer.resume([{ topic, partitions: [partition] }]),
    pauseAll: () => consumer.pause(topics.map((topic) => ({ topic }))),
    seek: (topic, partition, offset) => consumer.seek({ topic, partition, offset: String(offset) }),
    commit: (offsets) =>
      commitOffsets(
        cluster,
        storedFor ?? groupId,
        storedFor === undefined ? rejoining.member : outsider,
        offsets,
      ),
    async close() {
      await rejoining.end();
      await consumer.disconnect();
    },
  };
}
