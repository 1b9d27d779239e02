import { CompressionTypes, type Producer, type Message as ProducerMessage } from "kafkajs";
import { createBackoff, pause } from "../../backoff.ts";
import { type ComponentContext, type Output, textOf } from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch } from "../../message.ts";
import { createKafka, isPermanent, kafkaFailure } from "./client.ts";
import { type KafkaOutputOptions, kafkaOutputDefaults } from "./generated/output-options.ts";
import { Lane } from "./lane.ts";
import { createFnvPartitioner } from "./partitioner.ts";
import { recordFromMessage } from "./record.ts";

/**
 * Writes each message as a record. A write resolves once the brokers have confirmed all its records;
 * records of one topic are sent in the order of the writes, one request at a time.
 */
export function kafkaOutput(options: KafkaOutputOptions): Output {
  const settings = { ...kafkaOutputDefaults, ...options };
  let writing: Writing | undefined;
  return {
    async start(context) {
      const kafka = createKafka({ ...settings, requestTimeout: settings.timeout + 1000 }, context.log);
      const producer = kafka.producer({ createPartitioner: createFnvPartitioner });
      try {
        await producer.connect();
      } catch (error) {
        await producer.disconnect();
        throw kafkaFailure(error, "Kafka cannot be reached");
      }
      writing = new Writing(settings, producer, context);
    },
    async write(batch) {
      if (writing === undefined) throw new GatewayError(503, "Kafka is not connected");
      await writing.write(batch);
      return {};
    },
    async close() {
      await writing?.close();
    },
  };
}

type Settings = KafkaOutputOptions & Required<Pick<KafkaOutputOptions, keyof typeof kafkaOutputDefaults>>;

/** One output from `start` to `close`. */
class Writing {
  readonly #settings: Settings;
  readonly #producer: Producer;
  readonly #context: ComponentContext;
  readonly #lanes = new Map<string, Lane>();
  readonly #closing = new AbortController();
  #failing = false;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, producer: Producer, context: ComponentContext) {
    this.#settings = settings;
    this.#producer = producer;
    this.#context = context;
  }

  async write(batch: Batch): Promise<void> {
    if (this.#closing.signal.aborted) throw new GatewayError(503, "Kafka is being disconnected");
    const { topic, key } = this.#settings;
    const recordsByTopic = new Map<string, ProducerMessage[]>();
    for (const index of batch.keys()) {
      const name = textOf(topic, batch, index);
      const records = recordsByTopic.get(name) ?? [];
      records.push(recordFromMessage(batch, index, textOf(key, batch, index)));
      recordsByTopic.set(name, records);
    }
    const writes = [...recordsByTopic].map(([name, records]) => this.#writeTo(name, records));
    const outcomes = await Promise.allSettled(writes);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
    await this.#producer.disconnect();
  }

  /** Lanes live while something is under way in them, for a computed topic may have any number of names. */
  #writeTo(topic: string, records: readonly ProducerMessage[]): Promise<void> {
    let lane = this.#lanes.get(topic);
    if (lane === undefined) {
      lane = new Lane({
        send: (messages) => this.#sendUntilConfirmed(topic, messages),
        isPermanent,
        onIdle: () => this.#lanes.delete(topic),
      });
      this.#lanes.set(topic, lane);
    }
    return lane.write(records);
  }

  async #sendUntilConfirmed(topic: string, messages: ProducerMessage[]): Promise<void> {
    const {
      initial_interval = 3000,
      max_interval = 10_000,
      max_elapsed_time = 30_000,
    } = this.#settings.backoff;
    const backoff = createBackoff({ first: initial_interval, longest: max_interval });
    const giveUpAt = max_elapsed_time === 0 ? Number.POSITIVE_INFINITY : Date.now() + max_elapsed_time;
    const maxAttempts = this.#settings.max_retries === 0 ? 0 : 1 + this.#settings.max_retries;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#send(topic, messages);
        this.#tell(false);
        return;
      } catch (error) {
        this.#tell(!isPermanent(error));
        const wait = backoff.next();
        const exhausted = attempt === maxAttempts || Date.now() + wait > giveUpAt;
        if (exhausted || isPermanent(error) || this.#closing.signal.aborted) {
          throw kafkaFailure(error, "Kafka did not confirm the message");
        }
        await pause(wait, this.#closing.signal);
      }
    }
  }

  async #send(topic: string, messages: ProducerMessage[]): Promise<void> {
    const { ack_replicas, compression, timeout } = this.#settings;
    await this.#producer.send({
      topic,
      messages,
      acks: ack_replicas ? -1 : 1,
      timeout,
      compression: compression === "gzip" ? CompressionTypes.GZIP : CompressionTypes.None,
    });
  }

  #tell(failing: boolean): void {
    if (failing === this.#failing) return;
    this.#failing = failing;
    this.#context.reportConnection?.(failing ? "Kafka does not confirm" : undefined);
    if (failing) this.#context.log.warn("Kafka does not confirm, trying again");
    else this.#context.log.info("Kafka confirms again");
  }
}
