// The part of kafkajs that its producers use, without the producers: connections to brokers, and what brokers know of topics.

import type { Kafka, PartitionMetadata } from "kafkajs";

/** The connections of a client to a cluster. */
export interface Cluster {
  /** Topics that are looked up together. */
  readonly targetTopics: ReadonlySet<string>;
  readonly brokerPool: {
    readonly metadata: ClusterMetadata | null;
    /** Milliseconds since 1970. */
    readonly metadataExpireAt: number | null;
  };
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  isConnected(): boolean;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  refreshMetadata(): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  removeBroker(address: { readonly host: string; readonly port: number }): void;
  findBroker(place: { readonly nodeId: number }): Promise<ClusterBroker>;
  findControllerBroker(): Promise<ClusterBroker>;
}

/** What brokers said of the topics that are looked up. Replaced as a whole. */
export interface ClusterMetadata {
  readonly topicMetadata: readonly {
    readonly topic: string;
    readonly partitionMetadata: readonly PartitionMetadata[];
  }[];
}

/** A connected broker. */
export interface ClusterBroker {
  readonly connectionPool: { send<T>(exchange: Exchange<T>): Promise<T> };
  /** The versions of each request that it supports, by the number of the request. */
  readonly versions: Readonly<Record<number, { readonly minVersion: number; readonly maxVersion: number }>>;
  initProducerId(options: {
    readonly transactionTimeout: number;
  }): Promise<{ readonly producerId: string; readonly producerEpoch: number }>;
  disconnect(): Promise<void>;
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
  const create: unknown = symbol && Reflect.get(kafka, symbol);
  if (typeof create !== "function") throw new Error("this version of kafkajs has no clusters");
  return create(options);
}
