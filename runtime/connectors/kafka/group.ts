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
 * The timeouts of a group member, in milliseconds. `rebalanceTimeout`: how long the coordinator waits for the other
 * members to join again. A member learns from the response to a heartbeat that the group rebalances.
 */
export interface Membership {
  readonly sessionTimeout: number;
  readonly heartbeatInterval: number;
  readonly rebalanceTimeout: number;
}

/**
 * Longest interval between heartbeats, in milliseconds:
 * the partitions of a member that left stay unread at most this long.
 */
const longestInterval = 500;

/**
 * Longest wait of a fetch, in milliseconds: a member notices at most this much later that it has to leave or rejoin.
 */
const longestWait = 250;

/** How records are fetched. */
export interface FetchSettings {
  /** Milliseconds that a broker waits for records. */
  readonly maxWait: number;
  /** Largest number of bytes of one response, and of one partition in it. The defaults of kafkajs apply if absent. */
  readonly maxBytes?: number;
  readonly maxBytesPerPartition?: number;
  /** Milliseconds after which topics and partitions are looked up again. */
  readonly metadataMaxAge: number;
  /** The rack of this process. Records are fetched from a replica in the same rack. */
  readonly rackId: string;
  /** Whether records of uncommitted transactions are read. */
  readonly readUncommitted: boolean;
}

/** The settings of a group member. */
export interface GroupOptions {
  readonly groupId: string;
  /** The group whose offsets are read and committed, if it is not the group that is joined. */
  readonly storedFor?: string | undefined;
  /** The member id of a lost membership. That member leaves first; otherwise the group would wait for it. */
  readonly formerMember: string | undefined;
  readonly topics: readonly string[];
  /** The assignors that the member offers, in order of preference. */
  readonly balancers: readonly Balancer[];
  /** The only partitions to read, for some topics. Used by a member that is alone in its group. */
  readonly partitions: ReadonlyMap<string, readonly number[]>;
  /** Whether to start at the oldest record if no offset is committed. */
  readonly fromBeginning: boolean;
  readonly membership: Membership;
  readonly fetching: FetchSettings;
}

/** An offset to commit: the offset of the next message to read. */
export interface CommitOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** A membership in a consumer group, from its first join until `close` or its loss. */
export interface GroupSession {
  readonly offsets: OffsetLookup;
  /** The number of partitions of a topic that is read, as far as this member knows. */
  partitionCount(topic: string): number;
  pause(topic: string, partition: number): void;
  resume(topic: string, partition: number): void;
  /** Stops fetching; the session remains a member of the group. */
  pauseAll(): void;
  /** Continues reading at `offset`. */
  seek(topic: string, partition: number, offset: bigint): void;
  /** Commits in one attempt, as a member of the current generation. */
  commit(offsets: readonly CommitOffset[]): Promise<void>;
  /** Leaves the group and disconnects. */
  close(): Promise<void>;
}

/** The events of a membership. */
export interface GroupEvents {
  /** The group assigned partitions. A member that was never removed from the group keeps its `memberId`. */
  joined(session: GroupSession, memberId: string, partitions: Readonly<Record<string, number[]>>): void;
  /** The same broker delivers nothing more until this resolves. A batch that is not accepted is fetched again. */
  fetched(batch: FetchedBatch): Promise<void>;
  /** A rebalance begins. Reading continues and commits are valid until `assigning`. */
  rebalancing(session: GroupSession): void;
  /** All members have joined, so that partitions of this member may go to others; `joined` follows. */
  assigning(): void;
  /** The session has ended and does not recover. */
  lost(error: Error): void;
}

/** Messages of one partition. Empty if the broker returned only records that consumers do not see, such as markers. */
export interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly highWatermark: bigint;
  readonly messages: readonly ReadRecord[];
  /** The offset after the last message and after the transaction markers that follow it. */
  readonly next: bigint;
  /** Makes the client continue at `next`. */
  accept(): void;
  /** Whether the consumer was set to another offset since this batch was fetched. */
  isStale(): boolean;
}

/** Connects and joins the group. If either fails, it closes everything and rejects with a `GatewayError`. */
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
    heartbeatInterval: 0, // the client sends one after each fetch; `readWhileJoining` passes on those that are due
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
    rejoining.end().catch(() => undefined); // the lost connection is reported below
    if (joined) events.lost(payload.error);
  });
  consumer.on(consumer.events.START_BATCH_PROCESS, ({ payload }) => {
    // A batch without messages for consumers, such as an aborted transaction, appears only in this event.
    if (payload.batchSize > 0) return;
    const { topic, partition, highWatermark, lastOffset } = payload;
    const next = BigInt(lastOffset) + 1n;
    const watermark = BigInt(highWatermark);
    // The client continues on its own.
    const accept = () => undefined;
    // The client does not report stale batches here.
    const isStale = () => false;
    const passed = { topic, partition, messages: [], highWatermark: watermark, next, accept, isStale };
    events.fetched(passed).catch(() => undefined); // the membership reports the failure
  });
  try {
    await consumer.connect();
    // The member may have left already or may be unreachable. In that case the group waits until its session expires.
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
    throw kafkaUnreachable(error, "Kafka cannot be read", options.topics);
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
    // Called before the heartbeat: if the heartbeat fails, the batch would be fetched again.
    const accept = () => resolveOffset(last.offset);
    await events.fetched({ topic, partition, messages, highWatermark, next, accept, isStale });
  }
  await heartbeat();
}

type ConsumerRun = NonNullable<Parameters<Consumer["run"]>[0]>;

/**
 * Creates a consumer. Also returns its cluster, which kafkajs shows only to assigners, and a function that encodes
 * the protocols which the consumer offers its group as a subscriber of topics.
 */
export function createConsumer(
  kafka: Pick<Kafka, "consumer">,
  assigners: readonly PartitionAssigner[],
  config: ConsumerConfig,
): KafkaConsumer {
  let cluster: Cluster | undefined;
  const made: Assigner[] = [];
  // A bundled client has no consumers of its own, so that bundles which only write do not include them.
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
