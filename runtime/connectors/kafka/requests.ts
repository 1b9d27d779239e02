import { setTimeout as sleep } from "node:timers/promises";
import type { Kafka, PartitionMetadata, Producer } from "kafkajs";
import { createBackoff } from "../../concurrency/backoff.ts";
import { GatewayError } from "../../errors.ts";
import { isPermanent } from "./client.ts";
import { compressionTypes } from "./codecs.ts";
import { messagesByTopic } from "./grouped-records.ts";
import type { PartitionRecords } from "./sender.ts";

/** The settings of produce requests. */
export interface RequestSettings {
  readonly acks: -1 | 1;
  /** Milliseconds that the broker may take. */
  readonly timeout: number;
  readonly compression: keyof typeof compressionTypes;
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

/** Sends produce requests with kafkajs. */
export class Requests {
  readonly #kafka: Pick<Kafka, "producer">;
  readonly #settings: RequestSettings;
  #producer: Producer;
  /** The number of requests in progress of each producer. */
  readonly #underWay = new Map<Producer, number>();
  #renewing: Promise<void> | undefined;

  constructor(kafka: Pick<Kafka, "producer">, settings: RequestSettings) {
    this.#kafka = kafka;
    this.#settings = settings;
    this.#producer = this.#createProducer();
  }

  connect(): Promise<void> {
    return this.#producer.connect();
  }

  disconnect(): Promise<void> {
    return this.#producer.disconnect();
  }

  /** Makes the client look up a topic; brokers that create topics automatically create it then. */
  async meet(topic: string): Promise<void> {
    await quickly(() => this.#producer.send({ topic, messages: [] }));
  }

  /**
   * Like `sendOnce`, but retries failures that may be temporary.
   * Each retry sends all parts, including those already written.
   */
  sendQuickly(parts: readonly PartitionRecords[]): Promise<void> {
    return quickly(() => this.sendOnce(parts));
  }

  /** Sends one request to each broker that leads one of the partitions; resolves once all records are confirmed. */
  async sendOnce(parts: readonly PartitionRecords[]): Promise<void> {
    await this.#renewing;
    const { acks, timeout, compression } = this.#settings;
    const producer = this.#producer;
    this.#underWay.set(producer, (this.#underWay.get(producer) ?? 0) + 1);
    try {
      const confirmed = await producer.sendBatch({
        topicMessages: messagesByTopic(parts),
        acks,
        timeout,
        compression: compressionTypes[compression],
      });
      // kafkajs skips partitions without a known leader, and those whose leader moves to a broker that has already
      // answered: partitions that are missing in the result were not written.
      const keys = new Set(confirmed.map(({ topicName, partition }) => `${partition} ${topicName}`));
      const isWhole = parts.every(({ topic, partition }) => keys.has(`${partition} ${topic}`));
      if (!isWhole) {
        await this.#replace(); // a new producer looks up all topics again, which this one does only after minutes
        throw new GatewayError(502, "Kafka did not confirm all records");
      }
    } finally {
      this.#finished(producer);
    }
  }

  /**
   * Replaces an idempotent producer. That is necessary after a request with an unknown outcome was given up: the next
   * request would have the same sequence numbers, and if the former one was written after all, the broker would treat
   * the new records as duplicates and drop them.
   */
  async renew(): Promise<void> {
    if (this.#settings.idempotent) await this.#replace();
  }

  async #replace(): Promise<void> {
    this.#renewing ??= this.#replaceProducer().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  async #replaceProducer(): Promise<void> {
    const former = this.#producer;
    this.#producer = this.#createProducer();
    if (!this.#underWay.has(former)) await former.disconnect();
    // If it cannot connect now, it connects with its next request, or that request fails and is retried.
    await this.#producer.connect().catch(() => undefined);
  }

  #finished(producer: Producer): void {
    const left = (this.#underWay.get(producer) ?? 1) - 1;
    if (left > 0) this.#underWay.set(producer, left);
    else this.#underWay.delete(producer);
    if (left === 0 && producer !== this.#producer) void producer.disconnect();
  }

  #createProducer(): Producer {
    const { idempotent, metadataMaxAge, onPartitions } = this.#settings;
    return this.#kafka.producer({
      idempotent,
      metadataMaxAge,
      // kafkajs would retry a whole request; only an idempotent producer can do that without duplicates.
      ...(!idempotent && { retry: { retries: 0 } }),
      createPartitioner:
        () =>
        ({ topic, partitionMetadata, message }) => {
          onPartitions(topic, partitionMetadata);
          return message.partition ?? 0; // every record has its partition
        },
    });
  }
}

async function quickly<T>(work: () => Promise<T>): Promise<T> {
  const backoff = createBackoff(quickAttempts.pauses);
  const over = performance.now() + quickAttempts.time;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isLast = attempt === quickAttempts.count || performance.now() > over;
      if (isLast || isPermanent(error)) throw error;
      await sleep(backoff.next());
    }
  }
}
