// The part of kafkajs that its producers use, without the producers: connections to brokers, and what brokers know of topics.

import type { Kafka, PartitionMetadata } from "kafkajs";
import apiKeys from "kafkajs/src/protocol/requests/apiKeys.js";
import { requests } from "kafkajs/src/protocol/requests/index.js";

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The connections of a client to a cluster. */
export interface Cluster {
  /** Topics that are looked up together. */
  readonly targetTopics: Set<string>;
  /** Those of them that a broker may create. Of the others, one that was deleted stays deleted. */
  readonly wantedTopics: Set<string>;
  readonly brokerPool: {
    readonly metadata: ClusterMetadata | null;
    /** Milliseconds of `performance.now()`. */
    readonly metadataExpireAt: number | null;
  };
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  isConnected(): boolean;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  /** Rejects only if no broker answers: what is wrong with a topic or partition is part of the metadata. */
  refreshMetadata(): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  removeBroker(address: Address): void;
  findBroker(place: { readonly nodeId: number }): Promise<ClusterBroker>;
  findControllerBroker(): Promise<ClusterBroker>;
}

/** What brokers said of the topics that are looked up. Replaced as a whole. */
export interface ClusterMetadata {
  readonly topicMetadata: readonly TopicMetadata[];
}

interface TopicMetadata {
  readonly topic: string;
  /** 0 if the topic can be used. */
  readonly topicErrorCode: number;
  readonly partitionMetadata: readonly PartitionMetadata[];
}

/** A connected broker. */
export interface ClusterBroker {
  readonly connectionPool: Address & { send<T>(exchange: Exchange<T>): Promise<T> };
  /** The versions of each request that it supports, by the number of the request. */
  readonly versions: Readonly<Record<number, { readonly minVersion: number; readonly maxVersion: number }>>;
  initProducerId(options: {
    readonly transactionTimeout: number;
  }): Promise<{ readonly producerId: string; readonly producerEpoch: number }>;
  disconnect(): Promise<void>;
}

/** A broker of kafkajs with the methods that the metadata need. */
interface WholeBroker extends ClusterBroker {
  lookupRequest(
    apiKey: number,
    definition: unknown,
  ): (fields: {
    readonly topics: readonly string[];
    readonly allowAutoTopicCreation: boolean;
  }) => Exchange<ClusterMetadata>;
  metadata(topics: readonly string[]): Promise<ClusterMetadata>;
}

interface WholeCluster extends Omit<Cluster, "wantedTopics"> {
  readonly brokerPool: Cluster["brokerPool"] & { createBroker(options: object): WholeBroker };
}

/** A request and how its response is read. */
export interface Exchange<T> {
  readonly request: {
    readonly apiKey: number;
    readonly apiName: string;
    readonly apiVersion: number;
    /** Returns the request without its header. */
    encode(): Promise<{ readonly buf: Buffer; readonly buffer: Buffer }>;
  };
  readonly response: {
    decode(bytes: Buffer): Promise<T>;
    parse(decoded: T): Promise<T>;
  };
}

/** kafkajs keeps this method of its client behind a symbol. */
const creation = "private:Kafka:createCluster";

/**
 * Returns connections of their own for `kafka`, which are not open yet. `metadataMaxAge`: milliseconds after which topics are
 * looked up again.
 */
export function createCluster(kafka: Kafka, options: { readonly metadataMaxAge: number }): Cluster {
  const symbol = Object.getOwnPropertySymbols(kafka).find(({ description }) => description === creation);
  const create: ((options: object) => WholeCluster) | undefined = symbol && Reflect.get(kafka, symbol);
  if (typeof create !== "function") throw new Error("this version of kafkajs has no clusters");
  const wantedTopics = new Set<string>();
  const cluster = Object.assign(create.call(kafka, options), { wantedTopics });
  const pool = cluster.brokerPool;
  const createBroker = pool.createBroker.bind(pool);
  pool.createBroker = (place) => withWholeMetadata(createBroker(place), wantedTopics);
  return cluster;
}

/** Kafka's code for a topic that does not exist. */
const unknownTopic = 3;

/**
 * kafkajs rejects all metadata if one topic was deleted or one partition has no leader, so that nothing else could be written
 * either. It also lets a broker that creates topics automatically create each topic that it asks for.
 */
function withWholeMetadata(broker: WholeBroker, wanted: ReadonlySet<string>): WholeBroker {
  const ask = (topics: readonly string[], allowAutoTopicCreation: boolean) => {
    const build = broker.lookupRequest(apiKeys.Metadata, requests.Metadata);
    const { request, response } = build({ topics, allowAutoTopicCreation });
    return exchange(broker, { request, response: { ...response, parse: async (decoded) => decoded } });
  };
  broker.metadata = async (topics) => {
    const found = await ask(topics, false);
    const isMissing = ({ topic, topicErrorCode }: TopicMetadata) =>
      topicErrorCode === unknownTopic && wanted.has(topic);
    const missing = found.topicMetadata.filter(isMissing).map(({ topic }) => topic);
    if (missing.length === 0) return found;
    const others = found.topicMetadata.filter((topic) => !isMissing(topic));
    const created = await ask(missing, true);
    return { ...created, topicMetadata: [...others, ...created.topicMetadata] };
  };
  return broker;
}

/** Sends a request and resolves with its response. */
export async function exchange<T>(broker: ClusterBroker, exchanged: Exchange<T>): Promise<T> {
  try {
    return await broker.connectionPool.send(exchanged);
  } catch (error) {
    if (!(error instanceof Error && lostConnection.includes(error.name))) throw error;
    void broker.disconnect(); // which waits for the other requests of the connection
    const { host, port } = broker.connectionPool;
    throw Object.assign(error, { host, port });
  }
}

/**
 * Errors after which a connection is not used again. One that answers nothing may be dead: only a new one shows whether the
 * broker is.
 */
const lostConnection = ["KafkaJSConnectionClosedError", "KafkaJSRequestTimeoutError"];

/** Whether the connection was lost during a request. The error has the address of the broker. */
export function isLost(error: unknown): error is Error & Address {
  return error instanceof Error && lostConnection.includes(error.name) && "host" in error;
}
