import { setTimeout as sleep } from "node:timers/promises";
import type { PartitionMetadata } from "kafkajs";
import { createErrorFromCode } from "kafkajs/src/protocol/error.js";
import { createBackoff } from "../../concurrency/backoff.ts";
import { GatewayError } from "../../errors.ts";
import { endsProducer, isCoordinatorStarting, isPermanent, kafkaErrorType } from "./client.ts";
import { type Cluster, type ClusterBroker, exchange, isLost } from "./cluster.ts";
import { type Compression, compressions } from "./codecs.ts";
import { decodeProduced, encodeProduce, type ProduceAnswer, produceVersions } from "./produce.ts";
import { compressedRecords, type ProducerIdentity, plainRecords } from "./record-batch.ts";
import type { Failures, PartitionRecords } from "./sender.ts";
import { type Numbering, nameOf, Sequences } from "./sequences.ts";

/** The settings of produce requests. */
export interface RequestSettings {
  readonly acks: -1 | 1;
  /** Milliseconds that the broker may take. */
  readonly timeout: number;
  readonly compression: Compression;
  readonly idempotent: boolean;
  /** Milliseconds after which topics are looked up again. */
  readonly metadataMaxAge: number;
  /** Called with the client's metadata of a topic whenever the topic is written to. */
  onPartitions(topic: string, partitions: readonly PartitionMetadata[]): void;
}

/**
 * Retries for transient failures, such as a partition whose leader has just moved. `time`: milliseconds after which
 * no further attempt begins, since an attempt at an unreachable broker takes seconds.
 */
const quickAttempts = { count: 6, time: 2500, pauses: { first: 100, longest: 1000 } };

/** While a coordinator is starting. */
const patientAttempts = { count: 20, time: 10_000 };

/** The numbers of a producer that is not idempotent: brokers recognise nothing that it repeats. */
const anonymous = { id: -1n, epoch: -1, next: -1 };

/** Transactions do not exist here; brokers require a time limit anyway. */
const transactionTimeout = 60_000;

/** Number of topics that are looked up together; a computed topic may have any number of names. */
const mostTopics = 10_000;

/** The partitions of a topic as the client knows them. */
interface KnownTopic {
  /** 0 if the topic can be used. */
  readonly errorCode: number;
  readonly partitions: readonly PartitionMetadata[];
  readonly leaders: ReadonlyMap<number, number>;
}

/** Sends produce requests over the connections of kafkajs. */
export class Requests {
  readonly #cluster: Cluster;
  readonly #settings: RequestSettings;
  /** Set if the producer is idempotent. */
  readonly #sequences: Sequences | undefined;
  #topics: { readonly of: unknown; readonly known: ReadonlyMap<string, KnownTopic> } | undefined;

  constructor(cluster: Cluster, settings: RequestSettings) {
    this.#cluster = cluster;
    this.#settings = settings;
    this.#sequences = settings.idempotent ? new Sequences(() => this.#introduce()) : undefined;
  }

  async connect(): Promise<void> {
    await this.#cluster.connect();
    await this.#sequences?.identify();
  }

  disconnect(): Promise<void> {
    return this.#cluster.disconnect();
  }

  /** Looks up a topic and resolves with its partitions. Brokers that create topics automatically create it then. */
  async meet(topic: string): Promise<readonly PartitionMetadata[]> {
    return quickly(async () => {
      try {
        await this.#lookUp([topic]);
        const known = this.#knownTopics().get(topic);
        if (known === undefined || known.partitions.length === 0) throw this.#unledError(topic);
        return known.partitions;
      } catch (error) {
        throw await this.#mended(error);
      }
    });
  }

  /** Like `sendOnce`, but retries what may be temporary, and rejects if some records are not confirmed. */
  async sendQuickly(parts: readonly PartitionRecords[]): Promise<void> {
    let left = parts;
    await quickly(async () => {
      const failures = await this.sendOnce(left);
      if (failures.size === 0) return;
      left = left.filter((part) => failures.has(part));
      const errors = [...failures.values()];
      throw errors.find(isPermanent) ?? errors[0];
    });
  }

  /**
   * Sends one request to each broker that leads one of the partitions, and returns the parts that are not confirmed with
   * their failures. The leader may have written a part with a failure that is not permanent, all of it or nothing.
   */
  async sendOnce(parts: readonly PartitionRecords[]): Promise<Failures> {
    const failures = new Map<PartitionRecords, unknown>();
    try {
      if (!this.#isCurrent(parts)) await this.#lookUp([...new Set(parts.map(({ topic }) => topic))]);
      const byLeader = this.#byLeader(parts);
      for (const part of byLeader.get(unled) ?? []) failures.set(part, this.#unledError(part.topic));
      byLeader.delete(unled);
      const [only, ...others] = byLeader;
      // Most clusters need one request; it costs no further promise.
      if (others.length === 0 && only !== undefined) await this.#sendTo(only[0], only[1], failures);
      else
        await Promise.all(
          [...(only === undefined ? [] : [only]), ...others].map(([leader, led]) =>
            this.#sendTo(leader, led, failures),
          ),
        );
    } catch (error) {
      const reason = await this.#mended(error);
      for (const part of parts) failures.set(part, reason);
    }
    return failures;
  }

  async #introduce(): Promise<ProducerIdentity> {
    const cluster = this.#cluster;
    return quickly(async () => {
      await cluster.refreshMetadataIfNecessary();
      const broker = await cluster.findControllerBroker();
      const { producerId, producerEpoch } = await broker.initProducerId({ transactionTimeout });
      return { id: BigInt(producerId), epoch: producerEpoch };
    });
  }

  /** Whether the client knows who leads the partitions, and need not look up their topics again. */
  #isCurrent(parts: readonly PartitionRecords[]): boolean {
    const { targetTopics, brokerPool } = this.#cluster;
    if (!(performance.now() <= (brokerPool.metadataExpireAt ?? 0))) return false;
    const known = this.#knownTopics();
    return parts.every((part) => targetTopics.has(part.topic) && leaderOf(part, known) !== unled);
  }

  /** Looks up topics that are to be written to, and others with them. Brokers may create the former. */
  async #lookUp(topics: readonly string[]): Promise<void> {
    const cluster = this.#cluster;
    const { targetTopics, wantedTopics } = cluster;
    if (targetTopics.size > mostTopics) targetTopics.clear();
    const { metadata } = cluster.brokerPool;
    for (const topic of topics) wantedTopics.add(topic);
    try {
      await cluster.addMultipleTargetTopics(topics);
      if (cluster.brokerPool.metadata === metadata) await cluster.refreshMetadata();
    } finally {
      for (const topic of topics) wantedTopics.delete(topic);
    }
  }

  /** Returns why a partition of the topic has no leader. */
  #unledError(topic: string): Error {
    return createErrorFromCode(this.#knownTopics().get(topic)?.errorCode || leaderNotAvailable);
  }

  #knownTopics(): ReadonlyMap<string, KnownTopic> {
    const { metadata } = this.#cluster.brokerPool;
    if (this.#topics?.of === metadata) return this.#topics.known;
    const known = new Map<string, KnownTopic>();
    for (const { topic, topicErrorCode, partitionMetadata } of metadata?.topicMetadata ?? []) {
      const leaders = new Map(partitionMetadata.map(({ partitionId, leader }) => [partitionId, leader]));
      known.set(topic, { errorCode: topicErrorCode, partitions: partitionMetadata, leaders });
    }
    this.#topics = { of: metadata, known };
    return known;
  }

  /** Groups parts by the leaders of their partitions. */
  #byLeader(parts: readonly PartitionRecords[]): Map<number, PartitionRecords[]> {
    const known = this.#knownTopics();
    return Map.groupBy(parts, (part) => {
      const found = known.get(part.topic);
      if (found !== undefined) this.#settings.onPartitions(part.topic, found.partitions);
      return leaderOf(part, known);
    });
  }

  async #sendTo(
    leader: number,
    parts: readonly PartitionRecords[],
    failures: Map<PartitionRecords, unknown>,
  ): Promise<void> {
    let numberings: readonly Numbering[] | undefined;
    let answer: ProduceAnswer;
    try {
      const broker = await this.#cluster.findBroker({ nodeId: leader });
      numberings = this.#sequences && (await this.#sequences.claim(parts));
      answer = await this.#exchange(broker, parts, numberings);
    } catch (error) {
      const reason = await this.#mended(error);
      for (const part of parts) failures.set(part, reason);
      return;
    }
    const codes = new Map(answer.answers.map((each) => [nameOf(each), each.errorCode]));
    const refusals: unknown[] = [];
    for (const [index, part] of parts.entries()) {
      const refusal = refusalOf(codes.get(nameOf(part)));
      const numbering = numberings?.[index];
      if (numbering !== undefined) this.#settle(part, numbering, refusal);
      if (refusal === undefined) continue;
      refusals.push(refusal);
      failures.set(part, refusal);
    }
    const temporary = refusals.find((refusal) => !isPermanent(refusal));
    if (temporary !== undefined) await this.#mended(temporary);
  }

  #settle(part: PartitionRecords, numbering: Numbering, refusal: unknown): void {
    if (refusal === undefined) this.#sequences?.confirm(part, numbering);
    else if (endsProducer(refusal)) this.#sequences?.end(part);
    else if (isPermanent(refusal) && kafkaErrorType(refusal) !== "UNKNOWN")
      this.#sequences?.refuse(numbering);
  }

  async #exchange(
    broker: ClusterBroker,
    parts: readonly PartitionRecords[],
    numberings: readonly Numbering[] | undefined,
  ): Promise<ProduceAnswer> {
    const { minVersion = 0, maxVersion = 0 } = broker.versions[produceKey] ?? {};
    const apiVersion = Math.min(maxVersion, produceVersions.last);
    if (apiVersion < Math.max(minVersion, produceVersions.first))
      throw new GatewayError(502, "The version of Kafka is not supported", { retryable: false });
    return exchange(broker, {
      request: {
        apiKey: produceKey,
        apiName: "Produce",
        apiVersion,
        encode: async () => {
          const buffer = await this.#encode(parts, numberings);
          return { buf: buffer, buffer };
        },
      },
      response: {
        decode: async (bytes) => decodeProduced(bytes, apiVersion),
        parse: async (answer) => answer,
      },
    });
  }

  async #encode(
    parts: readonly PartitionRecords[],
    numberings: readonly Numbering[] | undefined,
  ): Promise<Buffer> {
    const { compression, acks, timeout } = this.#settings;
    const { type, codec } = compressions[compression];
    const prepared = parts.map(({ topic, partition, records }, index) => {
      const { id, epoch, next } = numberings?.[index] ?? anonymous;
      return { topic, partition, records: plainRecords(records), id, epoch, firstSequence: next };
    });
    if (codec !== undefined) {
      for (const [index, part] of prepared.entries())
        part.records = await compressedRecords(parts[index]?.records ?? [], codec.compress);
    }
    return encodeProduce(prepared, { acks, timeout, compression: type, time: Date.now() });
  }

  /** Looks up the leaders, and connects, as far as the failure calls for it; returns the failure to report. */
  async #mended(error: unknown): Promise<unknown> {
    const cluster = this.#cluster;
    try {
      if (isLost(error)) cluster.removeBroker(error);
      if (!cluster.isConnected()) {
        await cluster.connect();
        await cluster.refreshMetadata();
      } else if (!isPermanent(error)) await cluster.refreshMetadata();
    } catch (failure) {
      return failure;
    }
    return error;
  }
}

/** The number of the request. */
const produceKey = 0;

/** Kafka's code for a partition whose leader is unknown. */
const leaderNotAvailable = 5;

/** Kafka's code for records that an earlier request of the producer has written. */
const alreadyWritten = 46;

/** Returns what the code of an answer means; `undefined`: the records are written. */
function refusalOf(code: number | undefined): unknown {
  if (code === undefined) return new GatewayError(502, "Kafka did not confirm all records");
  return code === 0 || code === alreadyWritten ? undefined : createErrorFromCode(code);
}

/** The broker of partitions whose leader is not known. */
const unled = -1;

function leaderOf({ topic, partition }: PartitionRecords, known: ReadonlyMap<string, KnownTopic>): number {
  return known.get(topic)?.leaders.get(partition) ?? unled;
}

async function quickly<T>(work: () => Promise<T>): Promise<T> {
  const backoff = createBackoff(quickAttempts.pauses);
  const begun = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const { count, time } = isCoordinatorStarting(error) ? patientAttempts : quickAttempts;
      const isLast = attempt >= count || performance.now() > begun + time;
      if (isLast || isPermanent(error)) throw error;
      await sleep(backoff.next());
    }
  }
}
