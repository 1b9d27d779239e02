import type { Admin } from "kafkajs";
import type { ComponentContext, Delivered, OutcomeListener, Output } from "../../component/component.ts";
import { report } from "../../component/deliver-each.ts";
import { notConnected } from "../../component/persistence.ts";
import { type Text, textOf } from "../../component/text.ts";
import { FailedMessages, oneByOne, UnfitMessages } from "../../component/unfit-messages.ts";
import { abort } from "../../concurrency/abort.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { GatewayError } from "../../errors.ts";
import type { CheckText } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { Attempts } from "./attempts.ts";
import {
  createKafka,
  isPermanent,
  type KafkaConnection,
  kafkaErrorType,
  kafkaUnreachable,
} from "./client.ts";
import { createCluster } from "./cluster.ts";
import { checkEncodable, checkSize, topicCheck } from "./grammar.ts";
import type { Partitioner, Placement, Spread } from "./partitioner.ts";
import { type ProducerRecord, recordFromMessage, recordSize } from "./record.ts";
import { createHeaderEncoder, type EncodeHeaders, type HeaderSettings } from "./record-headers.ts";
import { type RequestSettings, Requests } from "./requests.ts";
import { type Failures, Outcomes, type PartitionRecords, Sender, type Turns } from "./sender.ts";
import { type Topic, type TopicCreation, type TopicCreator, Topics } from "./topics.ts";

/** The settings of a writer, independent of how documents spell them. */
export interface WriterSettings extends Omit<RequestSettings, "onPartitions"> {
  readonly connection: KafkaConnection;
  readonly topic: Text;
  readonly key: Text;
  /** The number of the partition, if the partitioner uses it. */
  readonly partition: Text;
  createPartitioner(): Partitioner;
  readonly headers: HeaderSettings;
  readonly creation: TopicCreation | undefined;
  /** Largest size of a record, and of the records collected for one partition, in bytes. */
  readonly largestRecord: number;
  /** Largest number of batches in progress. */
  readonly batches: number;
  /** Largest number of records in progress. */
  readonly records: number;
  /** Whether a batch is retried as a whole. If so, batches are written one after the other. */
  readonly isWhole: boolean;
  readonly maxRetries: number;
  readonly firstPause: number;
  readonly longestPause: number;
  readonly maxElapsed: number;
}

interface Placed extends Placement {
  readonly record: ProducerRecord;
  readonly topic: string;
}

/** Returns an output with these settings. */
export function writerOutput(settings: WriterSettings): Output {
  let writer: Writer | undefined;
  return {
    async start(context) {
      writer = await openWriter(settings, context);
    },
    write(batch) {
      return writer === undefined ? Promise.reject(notConnected()) : writer.write(batch);
    },
    writeEach(messages, listener) {
      if (writer !== undefined) writer.writeEach(messages, listener);
      else for (const index of messages.keys()) listener.fail(index, notConnected());
    },
    async close() {
      await writer?.close();
    },
  };
}

/** Connects. If that fails, it closes everything and rejects with a `GatewayError`. */
async function openWriter(settings: WriterSettings, context: ComponentContext): Promise<Writer> {
  const { connection, timeout } = settings;
  const kafka = createKafka({ ...connection, requestTimeout: timeout + 1000 }, context.log);
  const { creation } = settings;
  const creator = creation && { admin: kafka.admin(), creation };
  const requests = new Requests(createCluster(kafka, settings), {
    ...settings,
    onPartitions: (topic, partitions) => writer.notePartitions(topic, partitions),
  });
  const writer = new Writer(settings, { creator, requests, context });
  try {
    await Promise.all([creator?.admin.connect(), requests.connect()]);
    return writer;
  } catch (error) {
    await writer.close();
    throw kafkaUnreachable(error, "Kafka cannot be reached");
  }
}

interface WriterParts {
  readonly creator: (TopicCreator & { readonly admin: Pick<Admin, "disconnect"> }) | undefined;
  readonly requests: Pick<Requests, "meet" | "sendOnce" | "sendQuickly" | "disconnect">;
  readonly context: ComponentContext;
}

/** Limits the batches that are written at a time, and their records. Batches enter in the order of their calls. */
class WriteTurns implements Turns {
  readonly #batches: Semaphore;
  /** `undefined` if the number of records is unlimited. */
  readonly #records: Semaphore | undefined;

  constructor({ batches, records }: Pick<WriterSettings, "batches" | "records">) {
    this.#batches = new Semaphore(batches);
    this.#records = Number.isFinite(records) ? new Semaphore(records) : undefined;
  }

  enter(work: () => void, records: number): void {
    const limit = this.#records;
    this.#batches.enter(limit === undefined ? work : () => limit.enter(work, records));
  }

  leave(records: number): void {
    this.#records?.release(records);
    this.#batches.release();
  }

  /** Resolves when no batch is written and none waits. */
  idle(): Promise<void> {
    return this.#batches.idle();
  }
}

/** One run of an output, from `start` to `close`. */
export class Writer {
  readonly #settings: WriterSettings;
  readonly #creator: WriterParts["creator"];
  readonly #requests: WriterParts["requests"];
  readonly #topics: Topics;
  readonly #sender: Sender;
  readonly #attempts: Attempts;
  readonly #turns: WriteTurns;
  /** Orders whole batches, which are written one after the other. */
  readonly #order = new Semaphore(1);
  readonly #checkTopic: CheckText;
  readonly #encodeHeaders: EncodeHeaders;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(settings: WriterSettings, { creator, requests, context }: WriterParts) {
    this.#settings = settings;
    this.#checkTopic = topicCheck(settings.topic);
    this.#encodeHeaders = createHeaderEncoder(settings.headers);
    this.#creator = creator;
    this.#requests = requests;
    this.#turns = new WriteTurns(settings);
    const closing = this.#closing.signal;
    this.#attempts = new Attempts({
      ...settings,
      closing,
      log: context.log,
      beginOutage: context.beginOutage,
    });
    this.#topics = new Topics({
      ...settings,
      creator,
      meet: (topic) => requests.meet(topic),
      persist: (work) => this.#attempts.make(work),
    });
    this.#sender = new Sender({
      largestPart: settings.largestRecord,
      isPermanent,
      leaderOf: (topic, partition) => this.#topics.leaderOf(topic, partition),
      // A partition that shared a failed request with others is retried alone.
      send: (parts) => (parts.length === 1 ? this.#sendQuickly(parts) : requests.sendOnce(parts)),
      sendAgain: (part, failure, wasAlone) =>
        this.#attempts.make(() => requests.sendQuickly([part]), { failure, wasShared: !wasAlone }),
      blame: (error, records) => this.#blame(error, records),
    });
  }

  /** Records the metadata that the client has of a topic. */
  notePartitions(...known: Parameters<Topics["note"]>): void {
    this.#topics.note(...known);
  }

  /** Resolves once every message is confirmed; rejects with a `GatewayError` if one of them is not. */
  write(batch: Batch): Promise<Delivered> {
    if (this.#closing.signal.aborted) {
      return Promise.reject(new GatewayError(503, "Kafka is being disconnected"));
    }
    return new Promise((resolve, reject) => {
      const outcomes = new Outcomes(this.#turns, batch.length, resolve, reject);
      this.#turns.enter(() => this.#writeRecords(batch, outcomes), batch.length);
    });
  }

  /** See `Output.writeEach`. */
  writeEach(messages: Batch, listener: OutcomeListener): void {
    if (this.#settings.isWhole || this.#closing.signal.aborted) {
      for (const [index, message] of messages.entries()) report(this.write([message]), index, listener);
      return;
    }
    const turns = this.#turns;
    const counted: OutcomeListener = {
      confirm(index) {
        turns.leave(1);
        listener.confirm(index);
      },
      fail(index, error) {
        turns.leave(1);
        listener.fail(index, error);
      },
    };
    for (let index = 0; index < messages.length; index += 1)
      turns.enter(() => this.#writeRecord(messages.slice(index, index + 1), index, counted), 1);
  }

  /** Writes a batch of one record together with others of its partition, or alone if no partition can be chosen now. */
  #writeRecord(batch: Batch, index: number, listener: OutcomeListener): void {
    try {
      for (const placed of prepareAll(batch, (message, place) => this.#prepare(message, batch, place))) {
        const topic = this.#topics.known(placed.topic);
        const partition = topic && this.#pick(topic, placed);
        if (partition !== undefined) this.#sender.add({ ...placed, partition, index, listener });
        else {
          const write = (resolve: (delivered: Delivered) => void, reject: (reason: unknown) => void) =>
            this.#writeTo(placed.topic, [placed], new Outcomes(undefined, 1, resolve, reject));
          report(new Promise(write), index, listener);
        }
      }
    } catch (error) {
      listener.fail(index, error);
    }
  }

  /** Waits for writes in progress and disconnects. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    abort(this.#closing);
    await this.#turns.idle();
    await this.#sender.idle();
    await Promise.all([this.#creator?.admin.disconnect(), this.#requests.disconnect()]);
  }

  /** `origin`: the message itself, if failures of its write are to name it. It is kept until then. */
  #prepare(message: Message, batch: Batch, index: number, origin?: Message): Placed {
    const { topic, key, partition, largestRecord } = this.#settings;
    const keyText = checkEncodable("key", textOf(key, batch, index));
    const record = recordFromMessage(message, keyText, this.#encodeHeaders, origin);
    const size = recordSize(record);
    checkSize(size, largestRecord);
    return {
      record,
      key: record.key,
      size,
      partition: textOf(partition, batch, index),
      topic: this.#checkTopic(textOf(topic, batch, index)),
    };
  }

  #writeRecords(batch: Batch, outcomes: Outcomes): void {
    try {
      const placed = prepareAll(batch, (message, index) => this.#prepare(message, batch, index, message));
      const [only] = placed;
      if (this.#settings.isWhole) this.#writeInOrder(placed, outcomes);
      else if (placed.length === 1 && only !== undefined) this.#writeOne(only, outcomes);
      else {
        const byTopic = Map.groupBy(placed, ({ topic }) => topic);
        outcomes.expect(byTopic.size - 1);
        for (const [name, ofTopic] of byTopic) this.#writeTo(name, ofTopic, outcomes);
      }
    } catch (error) {
      outcomes.fail(error);
    }
  }

  /** The fast path for most writes: one record to a known topic. */
  #writeOne(placed: Placed, outcomes: Outcomes): void {
    const topic = this.#topics.known(placed.topic);
    const partition = topic && this.#pick(topic, placed);
    const { record, size } = placed;
    if (partition === undefined) this.#writeTo(placed.topic, [placed], outcomes);
    else this.#sender.write({ topic: placed.topic, partition, records: [record], size }, outcomes);
  }

  /** Returns the partition of a record; `undefined` if no partition can be chosen now. */
  #pick(topic: Topic, placed: Placed): number | undefined {
    try {
      return topic.partitioner(placed, this.#spreadOf(topic));
    } catch {
      return undefined; // the topic is looked up again
    }
  }

  /** Writes records to one topic, in the order of the calls. */
  #writeTo(name: string, placed: readonly Placed[], outcomes: Outcomes): void {
    const recordsOf = () => placed.map(({ record }) => record);
    const reject = (error: unknown) => outcomes.fail(this.#blame(error, recordsOf()));
    const write = (topic: Topic, orElse: (error: unknown) => void) => {
      let chunks: readonly (readonly PartitionRecords[])[];
      try {
        chunks = this.#place(topic, placed);
      } catch (error) {
        orElse(error);
        return;
      }
      outcomes.expect(chunks.reduce((sum, { length }) => sum + length, -1));
      for (const ofPartition of chunks) for (const part of ofPartition) this.#sender.write(part, outcomes);
    };
    const place = (topic: Topic) =>
      // A missing partition may have been created meanwhile.
      write(topic, () => this.#topics.renew(topic, (renewed) => write(renewed, reject), reject));
    this.#topics.ask(name, place, reject);
  }

  /** Writes whole batches one after the other. */
  #writeInOrder(placed: readonly Placed[], outcomes: Outcomes): void {
    this.#order
      .use(() => this.#writeWhole(placed))
      .then(
        () => outcomes.confirm(),
        (error: unknown) => outcomes.fail(error),
      );
  }

  /** Writes a whole batch. One with a message that Kafka never accepts cannot succeed: then writes each message alone. */
  async #writeWhole(placed: readonly Placed[]): Promise<Delivered> {
    try {
      await this.#sendWhole(placed);
      return {};
    } catch (error) {
      const records = placed.map(({ record }) => record);
      const failure = this.#blame(error, records);
      if (placed.length === 1 || !(failure instanceof UnfitMessages)) throw failure;
      return oneByOne(placed, (each) => this.#writeWhole([each]));
    }
  }

  /** Sends a whole batch, chunk by chunk. Starts over from the beginning of the batch if something fails. */
  async #sendWhole(placed: readonly Placed[]): Promise<void> {
    const chunks: (readonly PartitionRecords[])[] = [];
    for (const [name, ofTopic] of Map.groupBy(placed, ({ topic }) => topic)) {
      const topic = await new Promise<Topic>((resolve, reject) => this.#topics.ask(name, resolve, reject));
      chunks.push(...this.#place(topic, ofTopic));
    }
    const rounds = Math.max(0, ...chunks.map(({ length }) => length));
    await this.#attempts.make(async () => {
      for (let round = 0; round < rounds; round += 1) {
        await this.#requests.sendQuickly(chunks.flatMap((ofPart) => ofPart[round] ?? []));
      }
    });
  }

  /** Returns the records of each partition in chunks that brokers accept in one request. */
  #place(topic: Topic, placed: readonly Placed[]): readonly (readonly PartitionRecords[])[] {
    const { name, partitioner } = topic;
    const { largestRecord } = this.#settings;
    const spread = this.#spreadOf(topic);
    const byPartition = new Map<number, Chunk[]>();
    for (const each of placed) {
      const partition = partitioner(each, spread);
      const chunks = byPartition.get(partition) ?? [];
      if (chunks.length === 0) byPartition.set(partition, chunks);
      const last = chunks.at(-1);
      if (last !== undefined && last.size + each.size <= largestRecord) {
        last.records.push(each.record);
        last.size += each.size;
      } else chunks.push({ topic: name, partition, records: [each.record], size: each.size });
    }
    return [...byPartition.values()];
  }

  #spreadOf({ name, leaders }: Topic): Spread {
    return { count: leaders.size, pending: (partition) => this.#sender.pending(name, partition) };
  }

  /** As `SenderOptions.blame`: a message is at fault for its size, and for a computed topic that the gateway may not write to. */
  #blame(error: unknown, records: readonly ProducerRecord[]): unknown {
    if (!(error instanceof GatewayError)) return error;
    const isTopicRefused =
      typeof this.#settings.topic !== "string" && kafkaErrorType(error) === "TOPIC_AUTHORIZATION_FAILED";
    const isUnfit = error.status === 422;
    const messages = records.flatMap(({ origin }) => origin ?? []);
    if (messages.length < records.length) return error;
    // Kafka does not say which of several is too large: each alone tells.
    if (!error.retryable && isUnfit && messages.length > 1) return new UnfitMessages(new Map(), error);
    const Kind = !error.retryable && (isTopicRefused || isUnfit) ? UnfitMessages : FailedMessages;
    return new Kind(new Map(messages.map((message) => [message, error])), error, true);
  }

  async #sendQuickly(parts: readonly PartitionRecords[]): Promise<Failures> {
    await this.#requests.sendQuickly(parts);
    return none;
  }
}

const none: Failures = /* @__PURE__ */ new Map();

/** Records of one partition that are being collected. */
interface Chunk extends PartitionRecords {
  readonly records: ProducerRecord[];
  size: number;
}
