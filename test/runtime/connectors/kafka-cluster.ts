import type { PartitionMetadata } from "kafkajs";
import type { Cluster, ClusterBroker, Exchange } from "../../../runtime/connectors/kafka/cluster.ts";

/** A request as a broker got it. */
export interface ProducedRequest {
  readonly leader: number;
  /** The request without its header. */
  readonly bytes: Buffer;
  readonly acks: number;
  readonly timeout: number;
  readonly parts: readonly ProducedPart[];
}

export interface ProducedPart {
  readonly topic: string;
  readonly partition: number;
  /** The code of the compression. */
  readonly compression: number;
  readonly producerId: bigint;
  readonly firstSequence: number;
  readonly count: number;
}

/** What a cluster does. */
export interface ClusterOptions {
  /** The leader of each partition of each topic. */
  readonly leaders?: Readonly<Record<string, readonly number[]>>;
  /** The codes of topics that cannot be used. */
  readonly topicErrors?: Readonly<Record<string, number>>;
  /** Returns the code of the answer for a partition; `undefined`: the answer leaves it out. Throws for a lost request. */
  readonly answer?: (part: ProducedPart, request: ProducedRequest) => number | undefined;
  /** The newest version of the request that brokers support. */
  readonly maxVersion?: number;
}

/** Returns connections to a cluster that only exists in this process, what brokers got, and how often topics were looked up. */
export function givenCluster(options: ClusterOptions = {}) {
  const {
    leaders = { orders: [1, 1, 1, 1], payments: [1] },
    answer = () => 0,
    maxVersion = 7,
    topicErrors = {},
  } = options;
  const sent: ProducedRequest[] = [];
  const counts = { lookedUp: 0, introduced: 0, disconnected: false };
  const targetTopics = new Set<string>();
  const brokerPool: Writable<Cluster["brokerPool"]> = { metadata: null, metadataExpireAt: null };
  const refreshMetadata = async () => {
    counts.lookedUp += 1;
    const topicMetadata = Object.entries(leaders).map(([topic, ofTopic]) => ({
      topic,
      topicErrorCode: topicErrors[topic] ?? 0,
      partitionMetadata: (topic in topicErrors ? [] : ofTopic).map((leader, partitionId) =>
        partitionOf(partitionId, leader),
      ),
    }));
    Object.assign(brokerPool, { metadata: { topicMetadata }, metadataExpireAt: performance.now() + 300_000 });
  };
  const brokerOf = (leader: number): ClusterBroker => ({
    versions: { 0: { minVersion: 0, maxVersion } },
    initProducerId: async () => {
      counts.introduced += 1;
      return { producerId: String(70 + counts.introduced), producerEpoch: 0 };
    },
    disconnect: async () => undefined,
    connectionPool: {
      host: "localhost",
      port: 9092 + leader,
      async send<T>({ request, response }: Exchange<T>) {
        const { buffer } = await request.encode();
        const read = readRequest(leader, buffer);
        sent.push(read);
        const codes = read.parts.map((part) => [part, answer(part, read)] as const);
        return response.parse(await response.decode(encodeAnswer(codes, request.apiVersion)));
      },
    },
  });
  const cluster: Cluster = {
    targetTopics,
    wantedTopics: new Set(),
    brokerPool,
    connect: async () => undefined,
    disconnect: async () => {
      counts.disconnected = true;
    },
    isConnected: () => true,
    addMultipleTargetTopics: async (topics) => {
      for (const topic of topics) targetTopics.add(topic);
      await refreshMetadata();
    },
    refreshMetadata,
    refreshMetadataIfNecessary: async () => undefined,
    removeBroker: () => undefined,
    findBroker: async ({ nodeId }) => brokerOf(nodeId),
    findControllerBroker: async () => brokerOf(0),
  };
  return { cluster, sent, counts };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function partitionOf(partitionId: number, leader: number): PartitionMetadata {
  return { partitionErrorCode: 0, partitionId, leader, replicas: [leader], isr: [leader] };
}

function readRequest(leader: number, bytes: Buffer): ProducedRequest {
  const parts: ProducedPart[] = [];
  let at = 8;
  const int32 = () => {
    at += 4;
    return bytes.readInt32BE(at - 4);
  };
  for (let topics = int32(); topics > 0; topics -= 1) {
    const length = bytes.readInt16BE(at);
    const topic = bytes.toString("utf8", at + 2, at + 2 + length);
    at += 2 + length;
    for (let partitions = int32(); partitions > 0; partitions -= 1) {
      const partition = int32();
      const size = int32();
      parts.push({
        topic,
        partition,
        compression: bytes.readInt16BE(at + 21),
        producerId: bytes.readBigInt64BE(at + 43),
        firstSequence: bytes.readInt32BE(at + 53),
        count: bytes.readInt32BE(at + 57),
      });
      at += size;
    }
  }
  return { leader, bytes, acks: bytes.readInt16BE(2), timeout: bytes.readInt32BE(4), parts };
}

/** Encodes a response without its header. */
export function encodeAnswer(
  codes: readonly (readonly [Pick<ProducedPart, "topic" | "partition">, number | undefined])[],
  version: number,
): Buffer {
  const named = codes.filter(([, code]) => code !== undefined);
  const topics = [...Map.groupBy(named, ([{ topic }]) => topic)];
  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const int16 = (value: number) => int32(value).subarray(2);
  return Buffer.concat([
    int32(topics.length),
    ...topics.flatMap(([topic, partitions]) => [
      int16(Buffer.byteLength(topic)),
      Buffer.from(topic),
      int32(partitions.length),
      ...partitions.flatMap(([{ partition }, code = 0]) => [
        int32(partition),
        int16(code),
        Buffer.alloc(version >= 5 ? 24 : 16),
      ]),
    ]),
    int32(0),
  ]);
}
