import { setTimeout as sleep } from "node:timers/promises";
import type { Kafka, PartitionMetadata, Producer } from "kafkajs";
import { createBackoff } from "../../concurrency/backoff.ts";
import { GatewayError } from "../../errors.ts";
import { isPermanent } from "./client.ts";
import { compressionTypes } from "./codecs.ts";
import { messagesByTopic } from "./grouped-records.ts";
import type { PartitionRecords } from "./sender.ts";

/** How records are put into requests. */
export interface RequestSettings {
  readonly acks: -1 | 1;
  /** Milliseconds that the broker may take. */
  readonly timeout: number;
  readonly compression: keyof typeof compressionTypes;
  readonly idempotent: boolean;
  /** Milliseconds after which topics are looked at anew. */
  readonly metadataMaxAge: number;
  /** Called with what the client knows of a topic whenever it is written to. */
  onPartitions(topic: string, partitions: readonly PartitionMetadata[]): void;
}

/**
 * For transient failures, such as a partition whose leader has just moved. `time`: milliseconds after which no further
 * attempt begins, since an attempt at a broker that is gone takes seconds.
 */
const quickAttempts = { count: 6, time: 2500, pauses: { first: 100, longest: 1000 } };

/** Produce requests by kafkajs. */
export class Requests {
  readonly #kafka: Pick<Kafka, "producer">;
  readonly #settings: RequestSettings;
  #producer: Producer;
  /** Requests under way, by the producer that makes them. */
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

  /** Has the client look a topic up, by which brokers that make topics by themselves make it. */
  async meet(topic: string): Promise<void> {
    await quickly(() => this.#producer.send({ topic, messages: [] }));
  }

  /** As `sendOnce`, several times where that may help. All of it is repeated, also what was written. */
  sendQuickly(parts: readonly PartitionRecords[]): Promise<void> {
    return quickly(() => this.sendOnce(parts));
  }

  /** One request to each broker that leads one of the partitions; resolves once all records are confirmed. */
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
      // kafkajs passes over partitions that it knows no leader of, and those whose leader moves to a broker
      // that has already answered: what is not in the answer is not written.
      const keys = new Set(confirmed.map(({ topicName, partition }) => `${partition} ${topicName}`));
      const isWhole = parts.every(({ topic, partition }) => keys.has(`${partition} ${topic}`));
      if (!isWhole) {
        await this.#replace(); // another producer looks everything up anew, which this one does not for minutes
        throw new GatewayError(502, "Kafka did not say that all records are written");
      }
    } finally {
      this.#finished(producer);
    }
  }

  /**
   * Goes on as another producer. An idempotent one must after a request whose outcome is unknown was given
   * up: its next request would bear the same numbers, and where the first one was written after all, the
   * broker would take other records for a repetition and drop them.
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
    // One that cannot connect now does so with its next request, or that fails and is repeated.
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
      // kafkajs would repeat a request as a whole; of what an idempotent producer repeats nothing is there twice.
      ...(!idempotent && { retry: { retries: 0 } }),
      createPartitioner:
        () =>
        ({ topic, partitionMetadata, message }) => {
          onPartitions(topic, partitionMetadata);
          return message.partition ?? 0; // every record comes with one
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
